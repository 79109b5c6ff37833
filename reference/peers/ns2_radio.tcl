# Stations that send to one station over a radio channel, for ns-2 2.35.
#
# usage: ns ns2_radio.tcl fading EXPONENT DISTANCE SEED     one station, DISTANCE metres away, log-normal shadowing, Mac/Simple
#        ns ns2_radio.tcl saturated STATIONS SEED           STATIONS ten metres away, no fading, Mac/802_11 without RTS, 1 Mbit/s
# Packets of 1000 bytes: one every 10 ms for 200 s over the fading channel, from second 5 on; as many as the saturated one takes, counted from
# second 10 to 110. Power, thresholds and carrier are ns-2's defaults, shadowing of 4 dB with a reference distance of 1 m.
# Prints one JSON object. README.md defines the fields.

if {$argc < 3} { puts stderr "usage: ns ns2_radio.tcl fading EXPONENT DISTANCE SEED | saturated STATIONS SEED"; exit 2 }
set what [lindex $argv 0]
set seed [lindex $argv end]
lassign [dict get {fading {2.0 4.0 1} saturated {2.0 0.0 0}} $what] exponent deviation stations
if {$what eq "fading"} {
    lassign $argv - exponent distance
    lassign {Mac/Simple 5 205 0.01} mac from_s until_s every_s
} else {
    lassign $argv - stations
    # Half of the time that a packet takes, so that each station always has one to send.
    lassign {Mac/802_11 10 110 0.004} mac from_s until_s every_s
    set distance 10
}
for {set i 0} {$i < $seed} {incr i} { $defaultRNG next-substream }

Mac/802_11 set RTSThreshold_ 3000
Mac/802_11 set basicRate_ 1Mb
Mac/802_11 set dataRate_ 1Mb

set ns [new Simulator]
set trace [file tempfile trace_path]
$ns trace-all $trace
set ground [new Topography]
$ground load_flatgrid 2000 2000
set god [create-god [expr {$stations + 1}]]
set fading [new Propagation/Shadowing]
$fading set pathlossExp_ $exponent
$fading set std_db_ $deviation
$fading set dist0_ 1.0
$fading seed raw [expr {1000 + $seed}]
$ns node-config -adhocRouting DumbAgent -llType LL -macType $mac -ifqType Queue/DropTail/PriQueue -ifqLen 50 \
    -antType Antenna/OmniAntenna -propInstance $fading -phyType Phy/WirelessPhy -topoInstance $ground \
    -channel [new Channel/WirelessChannel] -agentTrace OFF -routerTrace OFF -macTrace ON

set pi [expr {acos(-1)}]
for {set i 0} {$i <= $stations} {incr i} {
    set node($i) [$ns node]
    $node($i) random-motion 0
    set angle [expr {2 * $pi * $i / $stations}]
    set away [expr {$i == 0 ? 0 : $distance}]
    $node($i) set X_ [expr {1000 + $away * cos($angle)}]
    $node($i) set Y_ [expr {1000 + $away * sin($angle)}]
    $node($i) set Z_ 0
}
for {set i 1} {$i <= $stations} {incr i} {
    set sender [new Agent/UDP]
    $sender set packetSize_ 1000
    set receiver($i) [new Agent/LossMonitor]
    $ns attach-agent $node($i) $sender
    $ns attach-agent $node(0) $receiver($i)
    $ns connect $sender $receiver($i)
    set source [new Application/Traffic/CBR]
    $source set packetSize_ 1000
    $source set interval_ 1000
    $source attach-agent $sender
    # A packet of each before the rest, one after the other, so that ARP asks for addresses while the channel is free.
    $ns at [expr {0.2 * $i}] "$source start"
    $ns at 5.0 "$source stop; $source set interval_ $every_s; $source start"
}

proc received {} {
    global receiver stations
    set sum 0
    for {set i 1} {$i <= $stations} {incr i} { incr sum [$receiver($i) set npkts_] }
    return $sum
}

# How many packets with data left a MAC since a time.
proc transmitted {path since_s} {
    set count 0
    set file [open $path]
    while {[gets $file line] >= 0} {
        lassign $line event time_s node layer flags number type
        # Flags are empty with most events, and then leave no word.
        if {$event eq "s" && $layer eq "MAC" && "cbr" in [list $number $type] && $time_s >= $since_s} { incr count }
    }
    close $file
    return $count
}

$ns at $from_s { set before [received] }
$ns at $until_s {
    $ns flush-trace
    close $trace
    puts [format {{"simulator": "ns-2", "version": "%s", "workload": "radio-%s", "exponent": %g, "deviation_db": %g,\
"distance_m": %g, "stations": %d, "seed": %d, "seconds": %g, "transmitted": %d, "received": %d}} \
        [ns-version] $what $exponent $deviation $distance $stations $seed [expr {$until_s - $from_s}] \
        [transmitted $trace_path $from_s] [expr {[received] - $before}]]
    file delete $trace_path
    exit 0
}
$ns run
