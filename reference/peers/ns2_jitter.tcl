# Runs another script with a random delay of up to 1 us before each packet leaves its sender, so that chance decides
# which of two packets that meet at a queue comes first. Without it, the rounding of ns-2's floating-point time does.
#
# usage: ns ns2_jitter.tcl SCRIPT ARGUMENTS...     (as in: ns ns2_jitter.tcl ns2_dumbbell.tcl W1 sack droptail 0)

Agent/TCP set overhead_ 0.000001
set argv [lassign $argv script]
incr argc -1
source [file join [file dirname [info script]] $script]
