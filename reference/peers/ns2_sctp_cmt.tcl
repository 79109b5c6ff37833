# ns2_sctp.tcl with concurrent multipath transfer: both ends are Agent/SCTP/CMT, which sends lost chunks again over the path with
# the highest threshold (eCmtRtxPolicy_ 4), without its potentially failed state.
#
# usage: ns ns2_sctp_cmt.tcl ns2_sctp.tcl LOSS FAILS SECONDS SEED
if {$argc != 5} { puts stderr "usage: ns ns2_sctp_cmt.tcl ns2_sctp.tcl LOSS FAILS SECONDS SEED"; exit 2 }
set name [lindex $argv 0]
set argv [lrange $argv 1 end]
set argc 4
set file [open [file join [file dirname [info script]] $name]]
set script [read $file]
close $file
set settings "foreach {name value} {useCmtReordering_ 1 useCmtCwnd_ 1 useCmtDelAck_ 1 eCmtRtxPolicy_ 4 useCmtPF_ 0} {\
 Agent/SCTP/CMT set \$name \$value }\nset ns \[new Simulator\]"
set script [string map [list "new Agent/SCTP\]" "new Agent/SCTP/CMT\]" {set ns [new Simulator]} $settings] $script]
eval $script
