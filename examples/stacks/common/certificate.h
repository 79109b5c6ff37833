/* A certificate that signs itself, and its key, for ends in the simulator: it protects nothing. It is part of the source, so that its length, and so the
 * handshake, is the same in every build. */
static const char CERTIFICATE[] =
    "-----BEGIN CERTIFICATE-----\n"
    "MIIBYjCCAQigAwIBAgIBATAKBggqhkjOPQQDAjAPMQ0wCwYDVQQDDARwZWVyMCAX\n"
    "DTI2MTEyOTA4MDIzN1oYDzIxMjYxMTA1MDgwMjM3WjAPMQ0wCwYDVQQDDARwZWVy\n"
    "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE1Zvd8zgCB3WF+4OLQrgXTyRy7XVH\n"
    "5LHQoW08QC7N5dJX9XAk5jjvD+9VrmELeT+n9gZ9THAqawEQBhKin0v7/6NTMFEw\n"
    "HQYDVR0OBBYEFACm7GoUTWyP7ucb9nafcrcfRWOBMB8GA1UdIwQYMBaAFACm7GoU\n"
    "TWyP7ucb9nafcrcfRWOBMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAw\n"
    "RQIhAJeieFVHYKWAwfqMGyoDitTd6s0eOC8Zmyc9NAaI94SBAiANzKNzFyy6mezH\n"
    "xttBGLkd7gsZlXAJ4/9sdxKnryh0jA==\n"
    "-----END CERTIFICATE-----\n";
static const char KEY[] =
    "-----BEGIN PRIVATE KEY-----\n"
    "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgh0B/OyfNxe7oPsfC\n"
    "UiVXd1R/njBWCSwCFDaNaTj0in+hRANCAATVm93zOAIHdYX7g4tCuBdPJHLtdUfk\n"
    "sdChbTxALs3l0lf1cCTmOO8P71WuYQt5P6f2Bn1McCprARAGEqKfS/v/\n"
    "-----END PRIVATE KEY-----\n";
