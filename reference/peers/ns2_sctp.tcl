# One SCTP association over two paths in ns-2 2.35 (its SCTP module, release 3.8).
#
# usage: ns ns2_sctp.tcl LOSS FAILS SECONDS SEED
#   LOSS     probability that a path loses a packet on its way there
#   FAILS    when the first path fails for good, both ways; 0 for never
#   SEED     substream of the losses
# Prints one JSON object. README.md defines the fields.

if {$argc != 4} { puts stderr "usage: ns ns2_sctp.tcl LOSS FAILS SECONDS SEED"; exit 2 }
lassign $argv loss fails seconds seed

# As in the thesis on RBCA: four missing reports, retransmissions over the other path, chunks of 1456 bytes.
foreach {name value} {
    fastRtxTrigger_ 4  rtxToAlt_ 1  mtu_ 1500  dataChunkSize_ 1456  initialRwnd_ 1310720  initialSsthresh_ 65536
    initialRto_ 3.0  minRto_ 1.0  pathMaxRetrans_ 5  associationMaxRetrans_ 10  heartbeatInterval_ 30
    useDelayedSacks_ 1  numOutStreams_ 1
} { Agent/SCTP set $name $value }

Trace set show_sctphdr_ 1
set ns [new Simulator]
set name /tmp/ns2_sctp.[pid]
set trace [open $name w]
set losses [new RNG]
for {set i 0} {$i < $seed} {incr i} { $losses next-substream }

# Interfaces have to follow their host, or the agent finds no way.
set source [$ns node]
foreach path {1 2} {
    set near($path) [$ns node]
    $ns multihome-add-interface $source $near($path)
}
set sink [$ns node]
foreach path {1 2} {
    set far($path) [$ns node]
    $ns multihome-add-interface $sink $far($path)
}
foreach path {1 2} {
    $ns duplex-link $near($path) $far($path) 1Mb 20ms DropTail
    # 50 wait, and one is being sent.
    $ns queue-limit $near($path) $far($path) 51
    $ns queue-limit $far($path) $near($path) 100000
    foreach {way from to} [list there $near($path) $far($path) back $far($path) $near($path)] {
        set error($way,$path) [new ErrorModel]
        $error($way,$path) unit pkt
        $error($way,$path) set rate_ [expr {$way eq "there" ? $loss : 0}]
        set draws [new RandomVariable/Uniform]
        $draws use-rng $losses
        $error($way,$path) ranvar $draws
        $error($way,$path) drop-target [new Agent/Null]
        $ns lossmodel $error($way,$path) $from $to
    }
    $ns trace-queue $near($path) $far($path) $trace
}

set sctp [new Agent/SCTP]
set peer [new Agent/SCTP]
$ns multihome-attach-agent $source $sctp
$ns multihome-attach-agent $sink $peer
$ns connect $sctp $peer
$sctp set-primary-destination $far(1)
set ftp [new Application/FTP]
$ftp attach-agent $sctp
if {$fails > 0} { $ns at $fails "$error(there,1) set rate_ 1.0; $error(back,1) set rate_ 1.0" }
$ns at 0.0 "$ftp start"
$ns at $seconds "finish"

# What the trace of the two links tells: a line for each packet that is queued, dropped or received, with its TSN.
proc finish {} {
    global trace name near loss fails seconds seed
    close $trace
    array set sent "[$near(1) id] 0 [$near(2) id] 0"
    array set again "[$near(1) id] 0 [$near(2) id] 0"
    set drops 0
    set first {}
    set records [open $name]
    while {[gets $records line] >= 0} {
        if {[lindex $line 4] ne "sctp" || [string index [lindex $line 6] 7] ne "D"} continue
        lassign $line event time from
        set tsn [lindex $line 11]
        switch $event {
            + {
                incr sent($from)
                if {[info exists was_sent($tsn)]} { incr again($from) }
                set was_sent($tsn) 1
                if {[llength $first] < 60} { lappend first "\[$time, $tsn\]" }
            }
            d { incr drops }
            r { set arrived($tsn) $time }
        }
    }
    close $records
    file delete $name
    puts "{\"simulator\": \"ns-2\", \"version\": \"2.35\", \"workload\": \"sctp-two-paths\", \"loss\": $loss,\
 \"fails\": $fails, \"seconds\": $seconds, \"seed\": $seed, \"arrived\": [array size arrived],\
 \"sent\": \[$sent([$near(1) id]), $sent([$near(2) id])\],\
 \"resent\": \[$again([$near(1) id]), $again([$near(2) id])\], \"drops\": $drops,\
 \"first\": \[[join $first ", "]\]}"
    exit 0
}
$ns run
