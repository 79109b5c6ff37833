# ns2_rbcc_multihomed.tcl with access links whose delay changes by up to 1 us: agents of SCTP have no overhead_, with which TCP's
# let chance decide which of two packets that meet at a queue comes first. Without it, the rounding of ns-2's time does.
#
# usage: ns ns2_link_jitter.tcl ns2_rbcc_multihomed.tcl ASSOCIATIONS DELAYED RETURN SEED
if {$argc != 5} { puts stderr "usage: ns ns2_link_jitter.tcl ns2_rbcc_multihomed.tcl ASSOCIATIONS DELAYED RETURN SEED"; exit 2 }
set argv [lassign $argv name]
set argc 4
set file [open [file join [file dirname [info script]] $name]]
set script [read $file]
close $file

# A link changes about four times for each packet that it carries: 84 a second, of all associations.
proc shake {} {
    global ns jitter links associations
    foreach link $links { $link set delay_ [expr {0.01 + 0.000001 * [$jitter uniform 0 1]}] }
    $ns after [expr {0.003 * $associations}] shake
}
set begin {
    for {set i 0} {$i < $associations} {incr i} {
        foreach path {1 2} { lappend links [[$ns link $interface(source,$i,$path) $left($path)] link] }
    }
    shake
    $ns run
}
eval [string map [list {$ns run} $begin] $script]
