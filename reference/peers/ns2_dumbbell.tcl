# Dumbbell workloads W1, W2, W3 for ns-2 2.35.
#
# usage: ns ns2_dumbbell.tcl WORKLOAD CONTROL QUEUE SEED [QUEUE_LIMIT]
#   WORKLOAD W1|W2|W3   CONTROL newreno|sack   QUEUE droptail|red
#   SEED     0: flow i starts at exactly gap*i; s > 0: at gap*i + U(0, gap) drawn from substream s
#   QUEUE_LIMIT  replaces the workload's bottleneck limit_ (DropTail then holds limit_ - 1 waiting packets)
# Prints one JSON object. README.md defines the fields.

if {$argc < 4} { puts stderr "usage: ns ns2_dumbbell.tcl WORKLOAD CONTROL QUEUE SEED \[QUEUE_LIMIT\]"; exit 2 }
lassign $argv workload control queue seed limit

#                  flows  bottleneck access  limit  seconds gap   rtt_min rtt_max
set parameters {
    W1             {10    10e6       100e6   50     100.0   0.1   0.040   0.100}
    W2             {4     1e9        10e9    12500  100.0   0.5   0.100   0.100}
    W3             {100   100e6      1e9     1000   60.0    0.05  0.040   0.100}
}
lassign [dict get $parameters $workload] flows rate access default_limit seconds gap rtt_min rtt_max
if {$limit eq ""} { set limit $default_limit }
set agent  [dict get {newreno Agent/TCP/Newreno sack Agent/TCP/Sack1} $control]
set sink   [dict get {newreno Agent/TCPSink sack Agent/TCPSink/Sack1} $control]
set discipline [dict get {droptail DropTail red RED} $queue]
set unlimited 1000000

# Independent repetitions: substream number SEED of each generator (ns-2's plain seeds give related draws).
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
    packetSize_ 960  window_ 200000  windowInit_ 2  tcpTick_ 0.001  minrto_ 0.2  rtxcur_init_ 1.0
} { Agent/TCP set $name $value }
foreach {name value} {
    bytes_ false  queue_in_bytes_ false  mean_pktsize_ 1000  thresh_ 100  maxthresh_ 300
    q_weight_ 0.002  linterm_ 10  gentle_ true  adaptive_ 0  setbit_ false
} { Queue/RED set $name $value }

proc one_way {from to bandwidth delay discipline limit} {
    global ns
    $ns simplex-link $from $to $bandwidth $delay $discipline
    $ns queue-limit $from $to $limit
}
proc both_ways {a b bandwidth delay} {
    global unlimited
    one_way $a $b $bandwidth $delay DropTail $unlimited
    one_way $b $a $bandwidth $delay DropTail $unlimited
}

set left [$ns node]
set right [$ns node]
one_way $left $right $rate 10ms $discipline $limit
one_way $right $left $rate 10ms DropTail $unlimited

for {set i 0} {$i < $flows} {incr i} {
    set rtt [expr {$rtt_min + ($rtt_max - $rtt_min) * $i / ($flows - 1)}]
    set source [$ns node]
    set target [$ns node]
    both_ways $source $left $access [expr {$rtt / 2 - 0.011}]
    both_ways $right $target $access 1ms

    set tcp($i) [new $agent]
    set receiver [new $sink]
    $tcp($i) set fid_ $i
    $ns attach-agent $source $tcp($i)
    $ns attach-agent $target $receiver
    $ns connect $tcp($i) $receiver
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp($i)

    set start [expr {$gap * $i}]
    if {$seed > 0} { set start [expr {$start + $gap * [$jitter uniform 0 1]}] }
    lappend starts [format %.6f $start]
    $ns at [lindex $starts end] "$ftp start"
}

set monitor [$ns monitor-queue $left $right "" 0.1]

proc report {} {
    global ns seconds flows tcp monitor starts workload control queue seed limit
    set integral [$monitor get-pkts-integrator]
    $integral newpoint $seconds [$integral set lasty_]
    set sum 0
    set squares 0.0
    set retransmitted 0
    set timeouts 0
    for {set i 0} {$i < $flows} {incr i} {
        # Packet 0 is the SYN, so the number of the last acknowledged packet counts the data packets.
        set acked [expr {max(0, [$tcp($i) set ack_])}]
        lappend packets $acked
        incr sum $acked
        set squares [expr {$squares + double($acked) * $acked}]
        incr retransmitted [$tcp($i) set nrexmitpack_]
        incr timeouts [$tcp($i) set nrexmit_]
    }
    set jain [expr {double($sum) * $sum / ($flows * $squares)}]
    puts [format {{"simulator": "ns-2", "version": "%s", "workload": "%s", "control": "%s", "queue": "%s",\
"queue_limit": %d, "seed": %d, "seconds": %g, "delivered": %.0f, "drops": %.0f, "mean_queue": %.3f,\
"retransmitted": %d, "timeouts": %d, "acked": %d, "jain": %.5f, "flow_packets": [%s], "starts": [%s]}} \
        [ns-version] $workload $control $queue $limit $seed $seconds \
        [$monitor set pdepartures_] [$monitor set pdrops_] [expr {[$integral set sum_] / $seconds}] \
        $retransmitted $timeouts $sum $jain [join $packets ", "] [join $starts ", "]]
    exit 0
}
$ns at $seconds report
$ns run
