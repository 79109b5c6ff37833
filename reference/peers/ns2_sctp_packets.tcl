# The packets of one SCTP association over two paths in ns-2 2.35, one by one, and which of them are lost.
#
# usage: ns ns2_sctp_packets.tcl ns2_sctp.tcl LOSS PACKETS SEED
# Runs that script with that probability of a loss until so many packets with data have been sent, and prints one JSON object.
# README.md defines the fields. The second path is 13 us longer than the first, so that nothing meets at the same instant: ns-2
# would decide by chance which of two SACKs comes first.

if {$argc != 4} { puts stderr "usage: ns ns2_sctp_packets.tcl ns2_sctp.tcl LOSS PACKETS SEED"; exit 2 }
lassign $argv name loss most seed
set argv [list $loss 0 1000 $seed]
set argc 4

set file [open [file join [file dirname [info script]] $name]]
set script [read $file]
close $file
set script [string map {"1Mb 20ms" {1Mb [expr {$path == 1 ? "20ms" : "20.013ms"}]}} $script]
if {![regsub {proc finish \{\} \{.*\n\}\n} $script {proc finish {} { report }
} script]} { error "no proc finish" }
if {![regsub {"finish"} $script {"finish"; $ns at 60.0 "finish"} script]} { error "no end" }

# A packet that is lost is queued and dropped at once; a queue of 51 is never full with such losses.
proc report {} {
    global trace name near loss most seed
    close $trace
    set path([$near(1) id]) 1
    set path([$near(2) id]) 2
    set packets {}
    set asked {}
    foreach line [split [read [open $name]] "\n"] {
        lassign $line event time from
        if {[lindex $line 4] ne "sctp" || ![info exists path($from)] || ($event ne "+" && $event ne "d")} continue
        set list [switch [string index [lindex $line 6] 7] D { expr {"packets"} } H { expr {"asked"} } default continue]
        if {$event eq "d"} {
            set $list [lreplace [set $list] end end [string map {false true} [lindex [set $list] end]]]
        } else {
            if {[llength $packets] == $most} break
            lappend $list "\[$time, $path($from), [expr {[lindex $line 11] - 1}], false\]"
        }
    }
    file delete $name
    puts "{\"simulator\": \"ns-2\", \"version\": \"2.35\", \"workload\": \"sctp-packets\", \"loss\": $loss,\
 \"seed\": $seed, \"packets\": \[[join $packets ", "]\], \"heartbeats\": \[[join $asked ", "]\]}"
    exit 0
}
eval $script
