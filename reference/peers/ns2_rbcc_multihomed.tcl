# Associations over two parallel bottlenecks (Dahal 2007, Figure 6.1) for ns-2 2.35 (its SCTP module, release 3.8).
#
# usage: ns ns2_rbcc_multihomed.tcl ASSOCIATIONS DELAYED RETURN SEED
#   DELAYED  1: a SACK for every second packet, or after 200 ms; 0: for every packet
#   RETURN   1: the primary path stays the primary when it fails; 0: ns-2's changePrimaryThresh_ of -1, with which the other path
#            becomes the primary for good at the first timeout
#   SEED     substream of the starts, U(0, 0.1 s), and of the agents' own numbers
# Standard SCTP with the parameters of Dahal's section 6.2.1; new data takes the second path from 20 s on; 200 s of FTP.
# Prints one JSON object. README.md defines the fields.

if {$argc != 4} { puts stderr "usage: ns ns2_rbcc_multihomed.tcl ASSOCIATIONS DELAYED RETURN SEED"; exit 2 }
lassign $argv associations delayed return seed
set seconds 200.0
set chunk 1456

foreach {name value} {
    fastRtxTrigger_ 4  rtxToAlt_ 1  mtu_ 1500  initialRwnd_ 1310720  initialSsthresh_ 65536
    initialRto_ 3.0  minRto_ 1.0  maxRto_ 60.0  pathMaxRetrans_ 5  associationMaxRetrans_ 10  heartbeatInterval_ 30
    numOutStreams_ 1  trace_all_ 0
} { Agent/SCTP set $name $value }
Agent/SCTP set dataChunkSize_ $chunk
Agent/SCTP set useDelayedSacks_ $delayed
Agent/SCTP set changePrimaryThresh_ [expr {$return ? 1000 : -1}]

set jitter [new RNG]
for {set i 0} {$i < $seed} {incr i} {
    $jitter next-substream
    $defaultRNG next-substream
}

Trace set show_sctphdr_ 1
Queue set limit_ 50
set ns [new Simulator]
set trace [file tempfile trace_path]

proc wire {from to} {
    global ns
    $ns duplex-link $from $to 1Mb 10ms DropTail
    foreach {a b} [list $from $to $to $from] { $ns queue-limit $a $b 50 }
}

foreach path {1 2} {
    set left($path) [$ns node]
    set right($path) [$ns node]
    wire $left($path) $right($path)
    set bottleneck($path) [$ns monitor-queue $left($path) $right($path) "" 0.1]
}
for {set i 0} {$i < $associations} {incr i} {
    # Interfaces have to follow their host, or the agent finds no way.
    foreach {end router} {source left sink right} {
        set host($end,$i) [$ns node]
        foreach path {1 2} {
            set interface($end,$i,$path) [$ns node]
            $ns multihome-add-interface $host($end,$i) $interface($end,$i,$path)
        }
    }
    foreach path {1 2} {
        foreach {end router} [list source $left($path) sink $right($path)] { wire $interface($end,$i,$path) $router }
        foreach {from to} [list $interface(source,$i,$path) $left($path)] {
            $ns trace-queue $from $to $trace
            $ns trace-queue $to $from $trace
        }
        $ns trace-queue $right($path) $interface(sink,$i,$path) $trace
        # Whose association a line of the trace is of, and over which path: by the nodes that it goes between.
        set sends($interface(source,$i,$path)) "$i $path"
        set leaves([$interface(source,$i,$path) id],[$left($path) id]) "$i $path"
        set answered([$left($path) id],[$interface(source,$i,$path) id]) "$i $path"
        set arrives([$right($path) id],[$interface(sink,$i,$path) id]) "$i $path"
    }
    set sctp($i) [new Agent/SCTP]
    set peer [new Agent/SCTP]
    $ns multihome-attach-agent $host(source,$i) $sctp($i)
    $ns multihome-attach-agent $host(sink,$i) $peer
    $ns connect $sctp($i) $peer
    $sctp($i) set-primary-destination $interface(sink,$i,1)
    set ftp [new Application/FTP]
    $ftp attach-agent $sctp($i)
    lappend starts [format %.6f [expr {0.1 * [$jitter uniform 0 1]}]]
    $ns at [lindex $starts end] "$ftp start"
    $ns at 20.0 "$sctp($i) set-primary-destination $interface(sink,$i,2)"
}

proc mean_sd {values} {
    set n [llength $values]
    if {$n == 0} { return {0 0.0 0.0} }
    set mean [expr {[tcl::mathop::+ {*}$values] / double($n)}]
    set squares 0.0
    foreach x $values { set squares [expr {$squares + ($x - $mean) ** 2}] }
    return [list $n $mean [expr {sqrt($squares / $n)}]]
}

proc report {} {
    foreach name {trace trace_path associations delayed return seed seconds chunk leaves answered arrives bottleneck sctp starts} {
        upvar #0 $name $name
    }
    global ns
    $ns flush-trace
    close $trace
    array set sent "1 0 2 0"
    array set again "1 0 2 0"
    for {set i 0} {$i < $associations} {incr i} { set acked($i) 0; set got($i) 0; set found($i) {} }
    set file [open $trace_path]
    while {[gets $file line] >= 0} {
        set line [split $line]
        lassign $line event time from to type size flags
        if {$type ne "sctp"} continue
        set kind [string index $flags 7]
        set tsn [lindex $line 11]
        if {$kind eq "D" && $event eq "+" && [info exists leaves($from,$to)]} {
            lassign $leaves($from,$to) i path
            incr sent($path)
            if {[info exists at($i,$tsn)]} { incr again($path); set twice($i,$tsn) 1 }
            set at($i,$tsn) $time
        } elseif {$kind eq "D" && $event eq "r" && [info exists arrives($from,$to)]} {
            lassign $arrives($from,$to) i path
            if {![info exists there($i,$tsn)]} { set there($i,$tsn) 1; incr got($i) }
        } elseif {$kind eq "S" && $event eq "r" && [info exists answered($from,$to)]} {
            lassign $answered($from,$to) i path
            # A SACK's line has its cumulative TSN.
            if {$tsn <= $acked($i)} continue
            set once 1
            for {set n [expr {$acked($i) + 1}]} {$n <= $tsn} {incr n} {
                if {[info exists twice($i,$n)]} { set once 0 }
            }
            set acked($i) $tsn
            if {$once} { lappend found($i) [expr {$time - $at($i,$tsn)}] }
        }
    }
    close $file
    file delete $trace_path
    set timeouts 0
    foreach name {means deviations} { set $name {} }
    for {set i 0} {$i < $associations} {incr i} {
        incr timeouts [$sctp($i) set timeoutCount_]
        lassign [mean_sd $found($i)] n mean sd
        if {$n} { lappend means $mean; lappend deviations $sd }
        lappend packets $got($i)
    }
    set sum [expr {double([tcl::mathop::+ {*}$packets])}]
    set squares 0.0
    foreach x $packets { set squares [expr {$squares + $x * $x}] }
    set injected [expr {$sent(1) + $sent(2)}]
    set retransmitted [expr {$again(1) + $again(2)}]
    puts [format {{"simulator": "ns-2", "version": "%s", "workload": "rbcc-multihomed", "flows": %d, "delayed_sacks": %s, "returns": %s,\
"seed": %d, "seconds": %g, "injected": %d, "retransmitted": %d, "retransmitted_share": %.6f, "utilisation": %.6f, "jain": %.6f,\
"rtt_mean": %.6f, "rtt_sd": %.6f, "timeouts": %d, "sent": [%d, %d], "resent": [%d, %d],\
"drops": [%.0f, %.0f], "flow_packets": [%s], "starts": [%s]}} \
        [ns-version] $associations [expr {$delayed ? "true" : "false"}] [expr {$return ? "true" : "false"}] \
        $seed $seconds $injected $retransmitted [expr {double($retransmitted) / $injected}] \
        [expr {($injected - $retransmitted) * $chunk * 8 / (2e6 * $seconds)}] [expr {$sum * $sum / ($associations * $squares)}] \
        [lindex [mean_sd $means] 1] [lindex [mean_sd $deviations] 1] $timeouts $sent(1) $sent(2) $again(1) $again(2) \
        [$bottleneck(1) set pdrops_] [$bottleneck(2) set pdrops_] [join $packets ", "] [join $starts ", "]]
    exit 0
}
$ns at $seconds report
$ns run
