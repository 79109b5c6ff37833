# TCP over a last hop that loses packets, with and without ns-2's Snoop before it, for ns-2 2.35.
#
# usage: ns ns2_lossy_hop.tcl CONTROL AGENT LOSS FLOWS SEED
#   CONTROL newreno|sack|vegas   AGENT  none|snoop   LOSS  probability, of each packet and of each ACK
#   FLOWS   at most 5            SEED   flow i starts at U(0, 0.1 s) from substream SEED; losses are drawn from it too
# Five sources - R - base station - air - five mobiles (Dahal 2007, Figure 5.1): 1 Mbit/s and 10 ms up to the base station, with
# room for 50 packets; from there a LAN of 100 Mbit/s, since ns-2 has its Snoop (LL/LLSnoop) on LANs; 2 Mbit/s from its other end
# to each mobile, where what is lost is lost. Windows, clock and timeouts are those of Dahal's section 5.3.1. 100 s of FTP.
# Prints one JSON object. README.md defines the fields.

if {$argc < 5} { puts stderr "usage: ns ns2_lossy_hop.tcl CONTROL AGENT LOSS FLOWS SEED"; exit 2 }
lassign $argv control agent loss flows seed
set seconds 100.0

lassign [dict get {
    newreno {Agent/TCP/Newreno Agent/TCPSink       1000 1}
    sack    {Agent/TCP/Sack1   Agent/TCPSink/Sack1 1000 1}
    vegas   {Agent/TCP/Vegas   Agent/TCPSink       1040 0}
} $control] sender sink payload has_syn
# ns-2's Vegas sends no SYN and adds no header to packetSize_: 1040 gives it the others' size on the wire.

set jitter [new RNG]
for {set i 0} {$i < $seed} {incr i} {
    $jitter next-substream
    $defaultRNG next-substream
}

set ns [new Simulator]
# window_ must be set before the agents are made: their initial ssthresh is a copy of it (20).
foreach {name value} {
    window_ 20  numdupacks_ 3  tcpTick_ 0.01  windowInit_ 2  minrto_ 1  overhead_ 0.000001
} { Agent/TCP set $name $value }
Agent/TCP set packetSize_ $payload
foreach name {newreno_changes_ newreno_changes1_ partial_window_deflation_ exit_recovery_fix_} {
    Agent/TCP/Newreno set $name 0
}
foreach {name value} {v_alpha_ 1 v_beta_ 3 v_gamma_ 1} { Agent/TCP/Vegas set $name $value }
Agent/TCPSink set maxSackBlocks_ 3
Queue set limit_ 50
if {$agent eq "snoop"} { Snoop set maxbufs_ 100 }

set r [$ns node]
set station [$ns node]
set air [$ns node]
$ns simplex-link $r $station 1Mb 10ms DropTail
$ns simplex-link $station $r 1Mb 10ms DropTail
foreach {from to} [list $r $station $station $r] { $ns queue-limit $from $to 50 }
set bottleneck [$ns monitor-queue $r $station "" 0.1]

# Mac neither waits nor collides. It keeps the LAN's rate, but what it sends arrives when it begins to be sent, so the rate of the
# radio is that of the links behind it.
set lan [$ns make-lan [list $air] 100Mb 0ms LL Queue/DropTail Mac]
$lan addNode [list $station] 100Mb 0ms [dict get {none LL snoop LL/LLSnoop} $agent] Queue/DropTail Mac

proc lossy {from to} {
    global ns loss
    $ns simplex-link $from $to 2Mb 0ms DropTail
    $ns queue-limit $from $to 50
    set errors [new ErrorModel]
    $errors drop-target [new Agent/Null]
    $errors unit pkt
    $errors ranvar [new RandomVariable/Uniform]
    $errors set rate_ $loss
    [$ns link $from $to] errormodule $errors
    return [$ns monitor-queue $from $to "" 0.1]
}

set trace [file tempfile trace_path]
for {set i 0} {$i < $flows} {incr i} {
    set source($i) [$ns node]
    set mobile($i) [$ns node]
    foreach {from to} [list $source($i) $r $r $source($i)] {
        $ns simplex-link $from $to 1Mb 10ms DropTail
        $ns queue-limit $from $to 50
        $ns trace-queue $from $to $trace
    }
    set arrived($i) [lossy $air $mobile($i)]
    lossy $mobile($i) $air

    set tcp($i) [new $sender]
    set receiver($i) [new $sink]
    $tcp($i) set fid_ $i
    $ns attach-agent $source($i) $tcp($i)
    $ns attach-agent $mobile($i) $receiver($i)
    $ns connect $tcp($i) $receiver($i)
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp($i)
    lappend starts [format %.6f [expr {0.1 * [$jitter uniform 0 1]}]]
    $ns at [lindex $starts end] "$ftp start"
}

# The RTTs of all flows in seconds: one for each ACK of something new, from the sending of the last packet that it acknowledges,
# unless one of those has been sent twice.
proc round_trips {path} {
    array set acked {}
    set found {}
    set file [open $path]
    while {[gets $file line] >= 0} {
        lassign $line event time from to type size flags flow src dst number uid
        if {$event eq "+" && $type eq "tcp"} {
            incr times($flow,$number)
            set sent($flow,$number) $time
        } elseif {$event eq "r" && $type eq "ack"} {
            set last [expr {[info exists acked($flow)] ? $acked($flow) : -1}]
            if {$number <= $last} { continue }
            set acked($flow) $number
            set once 1
            for {set i [expr {$last + 1}]} {$i <= $number} {incr i} {
                if {![info exists times($flow,$i)] || $times($flow,$i) > 1} { set once 0 }
            }
            if {$once && $number > 0} { lappend found [expr {$time - $sent($flow,$number)}] }
        }
    }
    close $file
    return $found
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
    foreach name {control agent loss flows seed seconds bottleneck arrived tcp starts trace trace_path payload has_syn} {
        upvar #0 $name $name
    }
    foreach name {injected retransmitted timeouts acked crossed} { set $name 0 }
    for {set i 0} {$i < $flows} {incr i} {
        # The byte counters leave out the SYN and the headers.
        incr injected [expr {[$tcp($i) set ndatabytes_] / $payload}]
        incr retransmitted [expr {[$tcp($i) set nrexmitbytes_] / $payload}]
        incr timeouts [$tcp($i) set nrexmit_]
        lappend packets [expr {max(0, [$tcp($i) set ack_] + 1 - $has_syn)}]
        incr acked [lindex $packets end]
        incr crossed [expr {int([$arrived($i) set pdepartures_])}]
    }
    global ns
    $ns flush-trace
    close $trace
    lassign [mean_sd [round_trips $trace_path]] n mean sd
    file delete $trace_path
    puts [format {{"simulator": "ns-2", "version": "%s", "workload": "lossy-hop", "control": "%s", "agent": "%s", "loss": %g,\
"flows": %d, "seed": %d, "seconds": %g, "injected": %d, "retransmitted": %d, "timeouts": %d, "drops": %.0f,\
"delivered": %.0f, "crossed": %d, "rtt_mean": %.6f, "rtt_sd": %.6f, "rtt_samples": %d, "acked": %d,\
"flow_packets": [%s], "starts": [%s]}} \
        [ns-version] $control $agent $loss $flows $seed $seconds $injected $retransmitted $timeouts \
        [$bottleneck set pdrops_] [$bottleneck set pdepartures_] $crossed $mean $sd $n $acked \
        [join $packets ", "] [join $starts ", "]]
    exit 0
}
$ns at $seconds report
$ns run
