"""The simulator in a web page: its WebAssembly module, the JavaScript around it, and pages that need no network.

``engine`` is the JavaScript that runs the module (its interface is described at the top of ``engine.js``), ``lab`` is
the page that `ackclock lab` writes, ``alive`` the part *Change this and run it* of a report. There is no build step:
modules are plain JavaScript, and ``bundle`` joins them into one script when a page is written.

Your own page needs three things: ``module.packed_module()`` in an element ``<script type="text/plain"
id="module">``, ``bundle.bundle(file)`` as its script, and ``page.content_policy(script)``. The script begins with::

    import { unpacked } from "../engine/embedded.js";
    import { Engine } from "../engine/engine.js";
    const engine = await Engine.start(await unpacked("module"));

A page computes the same results as the command line, byte for byte, because nothing depends on the machine: time is in
whole nanoseconds, logarithms and powers come from ``libm``, random numbers from the seed. The module itself is the
same on every build machine, because it contains no file paths.
"""
