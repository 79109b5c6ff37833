"""Logs of a sender side by side: reads qlog and the event log, and says where two of them part."""
