# TCP over a last hop that loses packets by the distance of each mobile, with and without ns-2's Snoop, for ns-2 2.35.
#
# usage: ns ns2_radio_pairs.tcl CONTROL AGENT EXPONENT PAIRS FLOWS SEED
#   CONTROL newreno|sack   AGENT  none|snoop   EXPONENT of the path loss   PAIRS  of hosts, which the flows take in turn
#   SEED    substream: flow i starts at U(0, 0.1 s); each mobile stands anywhere in a square of 600 m around the base station
# The topology and the transport of ns2_lossy_hop.tcl; the probability that a mobile loses a packet, or the station an ACK of it, is
# that of log-normal shadowing of 4 dB (Propagation/Shadowing) with ns-2's power and threshold. 50 s of FTP.
# Prints one JSON object. README.md defines the fields.

if {$argc < 6} { puts stderr "usage: ns ns2_radio_pairs.tcl CONTROL AGENT EXPONENT PAIRS FLOWS SEED"; exit 2 }
lassign $argv control agent exponent pairs flows seed
set seconds 50.0
set payload 1000
lassign [dict get {newreno {Agent/TCP/Newreno Agent/TCPSink} sack {Agent/TCP/Sack1 Agent/TCPSink/Sack1}} $control] sender sink

set jitter [new RNG]
for {set i 0} {$i < $seed} {incr i} {
    $jitter next-substream
    $defaultRNG next-substream
}

# The complement of the error function, to 2e-7 (Abramowitz and Stegun 7.1.26).
proc erfc {x} {
    if {$x < 0} { return [expr {2 - [erfc [expr {-$x}]]}] }
    set t [expr {1 / (1 + 0.3275911 * $x)}]
    set sum [expr {$t * (0.254829592 + $t * (-0.284496736 + $t * (1.421413741 + $t * (-1.453152027 + $t * 1.061405429))))}]
    return [expr {$sum * exp(-$x * $x)}]
}

# The probability that a packet arrives below the threshold, of 0.28183815 W at 914 MHz over a distance in metres.
proc lost_at {distance} {
    global exponent
    set near [expr {0.28183815 * (3e8 / 914e6 / (4 * acos(-1))) ** 2}]
    set margin [expr {10 * log10($near / 3.652e-10) - 10 * $exponent * log10(max(1.0, $distance))}]
    return [expr {0.5 * [erfc [expr {$margin / 4.0 / sqrt(2)}]]}]
}

set ns [new Simulator]
foreach {name value} {
    window_ 20  numdupacks_ 3  tcpTick_ 0.01  windowInit_ 2  minrto_ 1  overhead_ 0.000001  packetSize_ 1000
} { Agent/TCP set $name $value }
foreach name {newreno_changes_ newreno_changes1_ partial_window_deflation_ exit_recovery_fix_} {
    Agent/TCP/Newreno set $name 0
}
Agent/TCPSink set maxSackBlocks_ 3
Queue set limit_ 50
if {$agent eq "snoop"} { Snoop set maxbufs_ 100 }

set r [$ns node]
set station [$ns node]
set air [$ns node]
$ns simplex-link $r $station 1Mb 10ms DropTail
$ns simplex-link $station $r 1Mb 10ms DropTail
set bottleneck [$ns monitor-queue $r $station "" 0.1]
set lan [$ns make-lan [list $air] 100Mb 0ms LL Queue/DropTail Mac]
$lan addNode [list $station] 100Mb 0ms [dict get {none LL snoop LL/LLSnoop} $agent] Queue/DropTail Mac

proc lossy {from to loss} {
    global ns
    $ns simplex-link $from $to 2Mb 0ms DropTail
    set errors [new ErrorModel]
    $errors drop-target [new Agent/Null]
    $errors unit pkt
    $errors ranvar [new RandomVariable/Uniform]
    $errors set rate_ $loss
    [$ns link $from $to] errormodule $errors
}

set trace [file tempfile trace_path]
for {set i 0} {$i < $pairs} {incr i} {
    set source($i) [$ns node]
    set mobile($i) [$ns node]
    foreach {from to} [list $source($i) $r $r $source($i)] {
        $ns simplex-link $from $to 1Mb 10ms DropTail
        $ns trace-queue $from $to $trace
    }
    set distance [expr {hypot(600 * [$jitter uniform 0 1] - 300, 600 * [$jitter uniform 0 1] - 300)}]
    lappend losses [format %.6f [lost_at $distance]]
    lossy $air $mobile($i) [lindex $losses end]
    lossy $mobile($i) $air [lindex $losses end]
}
for {set i 0} {$i < $flows} {incr i} {
    set pair [expr {$i % $pairs}]
    set tcp($i) [new $sender]
    set receiver [new $sink]
    $tcp($i) set fid_ $i
    $ns attach-agent $source($pair) $tcp($i)
    $ns attach-agent $mobile($pair) $receiver
    $ns connect $tcp($i) $receiver
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp($i)
    lappend starts [format %.6f [expr {0.1 * [$jitter uniform 0 1]}]]
    $ns at [lindex $starts end] "$ftp start"
}

# The RTTs of all flows in seconds: for each ACK of something new, from the sending of the last packet that it acknowledges, unless
# one of those (`strict`) or that one has been sent twice.
proc round_trips {path} {
    array set acked {}
    set strict {}
    set last {}
    set file [open $path]
    while {[gets $file line] >= 0} {
        lassign $line event time from to type size flags flow src dst number uid
        if {$event eq "+" && $type eq "tcp"} {
            incr times($flow,$number)
            set sent($flow,$number) $time
        } elseif {$event eq "r" && $type eq "ack"} {
            set before [expr {[info exists acked($flow)] ? $acked($flow) : -1}]
            if {$number <= $before} { continue }
            set acked($flow) $number
            if {$number == 0 || $times($flow,$number) > 1} { continue }
            set rtt [expr {$time - $sent($flow,$number)}]
            lappend last $rtt
            for {set i [expr {$before + 1}]} {$i <= $number && $times($flow,$i) == 1} {incr i} {}
            if {$i > $number} { lappend strict $rtt }
        }
    }
    close $file
    return [list $strict $last]
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
    foreach name {control agent exponent pairs flows seed seconds bottleneck tcp starts losses trace trace_path payload} {
        upvar #0 $name $name
    }
    foreach name {injected retransmitted timeouts} { set $name 0 }
    set squares 0.0
    for {set i 0} {$i < $flows} {incr i} {
        incr injected [expr {[$tcp($i) set ndatabytes_] / $payload}]
        incr retransmitted [expr {[$tcp($i) set nrexmitbytes_] / $payload}]
        incr timeouts [$tcp($i) set nrexmit_]
        lappend packets [expr {max(0, [$tcp($i) set ack_])}]
        set squares [expr {$squares + [lindex $packets end] ** 2}]
    }
    set acked [tcl::mathop::+ {*}$packets]
    global ns
    $ns flush-trace
    close $trace
    lassign [round_trips $trace_path] strict last
    file delete $trace_path
    puts [format {{"simulator": "ns-2", "version": "%s", "workload": "radio-pairs", "control": "%s", "agent": "%s", "exponent": %g,\
"pairs": %d, "flows": %d, "seed": %d, "seconds": %g, "injected": %d, "retransmitted": %d, "timeouts": %d, "drops": %.0f,\
"delivered": %.0f, "acked": %d, "jain": %.6f, "rtt_mean": %.6f, "rtt_sd": %.6f, "rtt_samples": %d,\
"rtt_last_mean": %.6f, "rtt_last_sd": %.6f, "losses": [%s], "flow_packets": [%s], "starts": [%s]}} \
        [ns-version] $control $agent $exponent $pairs $flows $seed $seconds $injected $retransmitted $timeouts \
        [$bottleneck set pdrops_] [$bottleneck set pdepartures_] $acked [expr {double($acked) ** 2 / ($flows * $squares)}] \
        {*}[lrange [mean_sd $strict] 1 2] [llength $strict] {*}[lrange [mean_sd $last] 1 2] \
        [join $losses ", "] [join $packets ", "] [join $starts ", "]]
    exit 0
}
$ns at $seconds report
$ns run
