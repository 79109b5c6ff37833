"""Reads logs of senders (qlog, the event log, logs of the Linux kernel, iperf3) and finds where two first differ."""
