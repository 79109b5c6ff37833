# Baselines on the wired topology of the RBCC thesis, for ns-2 2.35.
#
# usage: ns ns2_rbcc_wired.tcl CONTROL FLOWS MINRTO SEED [STARTS [INITIAL_WINDOW]]
#   CONTROL newreno|sack|vegas|vegas-stock   FLOWS  spread round-robin over the 5 pairs
#   MINRTO  seconds (0.2 or 1.0)             SEED   flow i starts at U(0, STARTS) from substream SEED
#   STARTS  seconds (0.1 unless given)       INITIAL_WINDOW  packets (1 unless given; ns-2's default is 2)
# Five sources - R1 - R2 - five sinks, every link 1 Mbit/s, 10 ms, DropTail limit_ 50; 100 s of FTP.
# Prints one JSON object. README.md defines the fields.

if {$argc < 4} {
    puts stderr "usage: ns ns2_rbcc_wired.tcl CONTROL FLOWS MINRTO SEED \[STARTS \[INITIAL_WINDOW\]\]"; exit 2
}
lassign $argv control flows minrto seed spread initial_window
if {$spread eq ""} { set spread 0.1 }
if {$initial_window eq ""} { set initial_window 1 }
set seconds 100.0
set pairs 5
set rate 1e6

lassign [dict get {
    newreno     {Agent/TCP/Newreno Agent/TCPSink       1000 1}
    sack        {Agent/TCP/Sack1   Agent/TCPSink/Sack1 1000 1}
    vegas       {Agent/TCP/Vegas   Agent/TCPSink       1040 0}
    vegas-stock {Agent/TCP/Vegas   Agent/TCPSink       1000 0}
} $control] agent sink payload has_syn
# ns-2's Vegas sends no SYN and adds no header to packetSize_: 1040 gives it the others' size on the wire.

set jitter [new RNG]
for {set i 0} {$i < $seed} {incr i} {
    $jitter next-substream
    $defaultRNG next-substream
}

set ns [new Simulator]
# window_ must be set before the agents are made: their initial ssthresh is a copy of it (20).
foreach {name value} {
    window_ 20  numdupacks_ 3  tcpTick_ 0.01
} { Agent/TCP set $name $value }
Agent/TCP set windowInit_ $initial_window
Agent/TCP set packetSize_ $payload
Agent/TCP set minrto_ $minrto
foreach name {newreno_changes_ newreno_changes1_ partial_window_deflation_ exit_recovery_fix_} {
    Agent/TCP/Newreno set $name 0
}
foreach {name value} {v_alpha_ 1 v_beta_ 3 v_gamma_ 1} { Agent/TCP/Vegas set $name $value }
Agent/TCPSink set maxSackBlocks_ 3

proc monitored_link {from to} {
    global ns rate
    $ns simplex-link $from $to $rate 10ms DropTail
    $ns queue-limit $from $to 50
    return [$ns monitor-queue $from $to "" 0.1]
}

set r1 [$ns node]
set r2 [$ns node]
set bottleneck [monitored_link $r1 $r2]
lappend others [monitored_link $r2 $r1]
for {set i 0} {$i < $pairs} {incr i} {
    set source($i) [$ns node]
    set target($i) [$ns node]
    foreach {from to} [list $source($i) $r1  $r1 $source($i)  $r2 $target($i)  $target($i) $r2] {
        lappend others [monitored_link $from $to]
    }
}
# Packet trace of pair 0, from which the RTT of the first flow is taken.
set trace [file tempfile trace_path]
foreach {from to} [list $source(0) $r1  $r2 $target(0)  $r1 $source(0)] { $ns trace-queue $from $to $trace }

for {set i 0} {$i < $flows} {incr i} {
    set pair [expr {$i % $pairs}]
    set tcp($i) [new $agent]
    set receiver [new $sink]
    $tcp($i) set fid_ $i
    $ns attach-agent $source($pair) $tcp($i)
    $ns attach-agent $target($pair) $receiver
    $ns connect $tcp($i) $receiver
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp($i)
    lappend starts [format %.6f [expr {$spread * [$jitter uniform 0 1]}]]
    $ns at [lindex $starts end] "$ftp start"
}

proc mean_sd {values} {
    set n [llength $values]
    if {$n == 0} { return {0 0.0 0.0} }
    set mean [expr {[tcl::mathop::+ {*}$values] / double($n)}]
    set squares 0.0
    foreach x $values { set squares [expr {$squares + ($x - $mean) ** 2}] }
    return [list $n $mean [expr {sqrt($squares / $n)}]]
}

# Two lists of RTTs of flow 0: one per data packet that arrived, one per ACK that acknowledged something new.
# The sink answers each packet at once and no ACK is lost or overtaken, so the k-th ACK answers the k-th arrival.
# Packets sent more than once, and packet 0, are left out.
proc round_trips {path source sink} {
    set arrived {}
    set acks {}
    set file [open $path]
    while {[gets $file line] >= 0} {
        lassign $line event time from to type size flags flow src dst number uid
        if {$flow != 0} { continue }
        if {$event eq "+" && $from == $source && $type eq "tcp"} {
            incr times_sent($number)
            set sent($number) $time
        } elseif {$event eq "r" && $to == $sink && $type eq "tcp"} {
            lappend arrived $number
        } elseif {$event eq "r" && $to == $source && $type eq "ack"} {
            lappend acks [list $time $number]
        }
    }
    close $file
    set once {number {upvar times_sent times_sent; expr {$number > 0 && $times_sent($number) == 1}}}
    set each {}
    set new {}
    set highest -1
    foreach ack $acks number [lrange $arrived 0 [expr {[llength $acks] - 1}]] {
        lassign $ack time acked
        if {[apply $once $number]} { lappend each [expr {$time - $sent($number)}] }
        if {$acked > $highest} {
            set highest $acked
            if {[apply $once $acked]} { lappend new [expr {$time - $sent($acked)}] }
        }
    }
    return [list $each $new]
}

proc report {} {
    global ns seconds rate flows tcp bottleneck others payload has_syn starts
    global trace trace_path source target control minrto seed
    set integral [$bottleneck get-pkts-integrator]
    $integral newpoint $seconds [$integral set lasty_]
    set elsewhere 0
    foreach monitor $others { set elsewhere [expr {$elsewhere + [$monitor set pdrops_]}] }
    foreach name {injected retransmitted timeouts sum} { set $name 0 }
    set squares 0.0
    for {set i 0} {$i < $flows} {incr i} {
        # The byte counters leave out the SYN and the headers.
        incr injected [expr {[$tcp($i) set ndatabytes_] / $payload}]
        incr retransmitted [expr {[$tcp($i) set nrexmitbytes_] / $payload}]
        incr timeouts [$tcp($i) set nrexmit_]
        set acked [expr {max(0, [$tcp($i) set ack_] + 1 - $has_syn)}]
        lappend packets $acked
        incr sum $acked
        set squares [expr {$squares + double($acked) * $acked}]
    }
    $ns flush-trace
    close $trace
    lassign [round_trips $trace_path [$source(0) id] [$target(0) id]] each new
    file delete $trace_path
    lassign [mean_sd $each] n mean sd
    lassign [mean_sd $new] new_n new_mean new_sd
    set capacity [expr {$rate * $seconds}]
    puts [format {{"simulator": "ns-2", "version": "%s", "workload": "rbcc-wired", "control": "%s", "flows": %d,\
"minrto": %g, "seed": %d, "seconds": %g, "injected": %d, "retransmitted": %d, "timeouts": %d, "drops": %.0f,\
"drops_elsewhere": %.0f, "delivered": %.0f, "mean_queue": %.3f, "utilisation": %.5f,\
"throughput": %.5f, "throughput_payload": %.5f,\
"rtt_mean": %.6f, "rtt_sd": %.6f, "rtt_samples": %d, "rtt_new_mean": %.6f, "rtt_new_sd": %.6f,\
"rtt_new_samples": %d, "acked": %d, "jain": %.5f, "flow_packets": [%s], "starts": [%s]}} \
        [ns-version] $control $flows $minrto $seed $seconds $injected $retransmitted $timeouts \
        [$bottleneck set pdrops_] $elsewhere [$bottleneck set pdepartures_] [expr {[$integral set sum_] / $seconds}] \
        [expr {[$bottleneck set bdepartures_] * 8 / $capacity}] \
        [expr {($injected - $retransmitted) * 8.0 * ($payload + 40 * $has_syn) / $capacity}] \
        [expr {($injected - $retransmitted) * 8000.0 / $capacity}] \
        $mean $sd $n $new_mean $new_sd $new_n $sum [expr {double($sum) * $sum / ($flows * $squares)}] \
        [join $packets ", "] [join $starts ", "]]
    exit 0
}
$ns at $seconds report
$ns run
