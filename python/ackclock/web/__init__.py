"""The simulator in a web page: its WebAssembly module, the JavaScript around it, and pages that need no network.

``engine`` is the JavaScript that runs the module (its contract is at the top of ``engine.js``), ``lab`` the page
that `ackclock lab` writes.
"""
