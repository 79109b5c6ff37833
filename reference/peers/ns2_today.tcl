# One or two flows of CUBIC through a dumbbell with a large product, for ns-2 2.35: Linux's module of 2.6, in Agent/TCP/Linux.
#
# usage: ns ns2_today.tcl CONTROL FLOWS SEED
#   CONTROL cubic   FLOWS 1|2   SEED 0: flow i starts at exactly 0.5 i seconds; s > 0: at 0.5 (i + U(0, 1)) from substream s
# Windows end at 700 packets: the first slow start of an unbounded one loses 23,000 packets, where the queue holds 250.
# Prints one JSON object. README.md defines the fields.

if {$argc != 3} { puts stderr "usage: ns ns2_today.tcl CONTROL FLOWS SEED"; exit 2 }
lassign $argv control flows seed
set rate 20e6
set access 1e9
set limit 251 ;# the one being sent counts
set seconds 100.0
set rtt 0.1
set gap 0.5
set unlimited 1000000

set jitter [new RNG]
for {set i 0} {$i < $seed} {incr i} {
    $jitter next-substream
    $defaultRNG next-substream
}

remove-all-packet-headers
add-packet-header IP TCP Flags
set ns [new Simulator]

# 960 + 40 bytes of header = 1000 bytes on the wire.
foreach {name value} {
    packetSize_ 960  window_ 700  windowInit_ 10  tcpTick_ 0.001  minrto_ 1.0  rtxcur_init_ 1.0
} { Agent/TCP set $name $value }
# ns-2's check of what an acknowledgement has in it asks for timestamps where the sender is Linux's.
Agent/TCP set timestamps_ true

proc one_way {from to bandwidth delay limit} {
    global ns
    $ns simplex-link $from $to $bandwidth $delay DropTail
    $ns queue-limit $from $to $limit
}
proc both_ways {a b bandwidth delay} {
    global unlimited
    one_way $a $b $bandwidth $delay $unlimited
    one_way $b $a $bandwidth $delay $unlimited
}

set left [$ns node]
set right [$ns node]
one_way $left $right $rate 10ms $limit
one_way $right $left $rate 10ms $unlimited

for {set i 0} {$i < $flows} {incr i} {
    set source [$ns node]
    set target [$ns node]
    both_ways $source $left $access [expr {$rtt / 2 - 0.011}]
    both_ways $right $target $access 1ms

    set tcp($i) [new Agent/TCP/Linux]
    set receiver [new Agent/TCPSink/Sack1]
    $receiver set ts_echo_rfc1323_ true
    $tcp($i) set fid_ $i
    $ns attach-agent $source $tcp($i)
    $ns attach-agent $target $receiver
    $ns connect $tcp($i) $receiver
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp($i)

    set start [expr {$gap * $i}]
    if {$seed > 0} { set start [expr {$start + $gap * [$jitter uniform 0 1]}] }
    lappend starts [format %.6f $start]
    $ns at 0 "$tcp($i) select_ca $control"
    $ns at [lindex $starts end] "$ftp start"
}

set monitor [$ns monitor-queue $left $right "" 0.1]

proc report {} {
    global ns seconds flows tcp monitor starts control seed limit
    set integral [$monitor get-pkts-integrator]
    $integral newpoint $seconds [$integral set lasty_]
    set sum 0
    set squares 0.0
    set retransmitted 0
    set timeouts 0
    for {set i 0} {$i < $flows} {incr i} {
        set acked [expr {max(0, [$tcp($i) set ack_])}]
        lappend packets $acked
        incr sum $acked
        set squares [expr {$squares + double($acked) * $acked}]
        incr retransmitted [$tcp($i) set nrexmitpack_]
        incr timeouts [$tcp($i) set nrexmit_]
    }
    set jain [expr {double($sum) * $sum / ($flows * $squares)}]
    puts [format {{"simulator": "ns-2", "version": "%s", "workload": "today-%d", "control": "%s", "queue": "droptail",\
"queue_limit": %d, "seed": %d, "seconds": %g, "delivered": %.0f, "drops": %.0f, "mean_queue": %.3f,\
"retransmitted": %d, "timeouts": %d, "acked": %d, "jain": %.5f, "flow_packets": [%s], "starts": [%s]}} \
        [ns-version] $flows $control $limit $seed $seconds \
        [$monitor set pdepartures_] [$monitor set pdrops_] [expr {[$integral set sum_] / $seconds}] \
        $retransmitted $timeouts $sum $jain [join $packets ", "] [join $starts ", "]]
    exit 0
}
$ns at $seconds report
$ns run
