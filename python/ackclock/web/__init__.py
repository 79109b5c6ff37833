"""The simulator in a web page: its WebAssembly module, the JavaScript around it, and pages that need no network.

``engine`` is the JavaScript that runs the module (its contract is at the top of ``engine.js``), ``lab`` the page
that `ackclock lab` writes, ``alive`` *change this and run it* in reports. There is no build step: modules are plain
JavaScript, and ``bundle`` joins them into one script when a page is written.

A page of one's own has three things: ``module.packed_module()`` in an element ``<script type="text/plain"
id="module">``, ``bundle.bundle(file)`` as its script, and ``page.content_policy(script)``. The script begins with::

    import { unpacked } from "../engine/embedded.js";
    import { Engine } from "../engine/engine.js";
    const engine = await Engine.start(await unpacked("module"));

A page gives the bytes of the command line, because nothing depends on the machine: time is whole nanoseconds,
logarithms and powers come from ``libm``, random numbers from the seed. The module is the same, byte for byte,
wherever it was built, because it contains no path.
"""
