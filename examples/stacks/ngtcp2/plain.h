/* Cryptography for ngtcp2 that hides nothing, so that the library needs none for TLS: the messages of TLS 1.3 in their order, of which two carry the
 * transport parameters and the others one byte. An encrypted packet has a tag of 16 bytes, as one of AES-GCM, which holds the nonce: a
 * packet whose number was expanded wrongly is not accepted. */
static uint8_t KEY[32];
static const ngtcp2_crypto_aead_ctx AEAD;
static const ngtcp2_crypto_cipher_ctx HP;
static const ngtcp2_crypto_ctx CRYPTO = { .aead = { .max_overhead = TAG }, .max_encryption = UINT64_MAX, .max_decryption_failure = UINT64_MAX };

static int encrypt(uint8_t *dest, const ngtcp2_crypto_aead *aead, const ngtcp2_crypto_aead_ctx *context, const uint8_t *plain, size_t length,
                   const uint8_t *nonce, size_t nonce_length, const uint8_t *aad, size_t aad_length) {
    if (length) memmove(dest, plain, length);
    memset(dest + length, 1, TAG);
    memcpy(dest + length, nonce, nonce_length);
    return 0;
}

static int decrypt(uint8_t *dest, const ngtcp2_crypto_aead *aead, const ngtcp2_crypto_aead_ctx *context, const uint8_t *cipher, size_t length,
                   const uint8_t *nonce, size_t nonce_length, const uint8_t *aad, size_t aad_length) {
    if (length < TAG || memcmp(cipher + length - TAG, nonce, nonce_length)) return NGTCP2_ERR_DECRYPT;
    memmove(dest, cipher, length - TAG);
    return 0;
}

static int mask(uint8_t *dest, const ngtcp2_crypto_cipher *hp, const ngtcp2_crypto_cipher_ctx *context, const uint8_t *sample) {
    memset(dest, 0, NGTCP2_HP_MASKLEN);
    return 0;
}

static int initial_keys(ngtcp2_conn *connection) {
    ngtcp2_crypto_ctx initial = CRYPTO;
    ngtcp2_conn_set_initial_crypto_ctx(connection, &initial);
    return ngtcp2_conn_install_initial_key(connection, &AEAD, KEY, &HP, &AEAD, KEY, &HP, 12);
}

static int handshake_keys(ngtcp2_conn *connection) {
    ngtcp2_conn_set_crypto_ctx(connection, &CRYPTO);
    int problem = ngtcp2_conn_install_rx_handshake_key(connection, &AEAD, KEY, 12, &HP);
    return problem ? problem : ngtcp2_conn_install_tx_handshake_key(connection, &AEAD, KEY, 12, &HP);
}

static int submit_parameters(ngtcp2_conn *connection, ackclock_end *end, ngtcp2_encryption_level level) {
    ngtcp2_ssize length = ngtcp2_conn_encode_local_transport_params(connection, end->own + 2, sizeof end->own - 2);
    if (length < 0) return (int)length;
    end->own[0] = (uint8_t)(length >> 8), end->own[1] = (uint8_t)length;
    return ngtcp2_conn_submit_crypto_data(connection, level, end->own, 2 + (size_t)length);
}

static int client_initial(ngtcp2_conn *connection, void *end) {
    int problem = initial_keys(connection);
    return problem ? problem : submit_parameters(connection, end, NGTCP2_ENCRYPTION_LEVEL_INITIAL);
}

static int client_hello(ngtcp2_conn *connection, const ngtcp2_cid *id, void *end) {
    return initial_keys(connection);
}

static int crypto_data(ngtcp2_conn *connection, ngtcp2_encryption_level level, uint64_t offset, const uint8_t *data, size_t length, void *user) {
    ackclock_end *end = user;
    int problem = 0;
    if (level == (end->is_server ? NGTCP2_ENCRYPTION_LEVEL_INITIAL : NGTCP2_ENCRYPTION_LEVEL_HANDSHAKE)) {
        if (offset + length > sizeof end->theirs) return NGTCP2_ERR_CALLBACK_FAILURE;
        memcpy(end->theirs + offset, data, length);
        end->has += length;
        size_t whole = end->theirs[0] << 8 | end->theirs[1];
        if (end->has < 2 || end->has < 2 + whole) return 0;
        problem = ngtcp2_conn_decode_and_set_remote_transport_params(connection, end->theirs + 2, whole);
    }
    if (level == NGTCP2_ENCRYPTION_LEVEL_INITIAL && end->is_server) {
        problem = problem ? problem : ngtcp2_conn_submit_crypto_data(connection, level, DATA, 1);
        problem = problem ? problem : handshake_keys(connection);
        problem = problem ? problem : submit_parameters(connection, end, NGTCP2_ENCRYPTION_LEVEL_HANDSHAKE);
        return problem ? problem : ngtcp2_conn_install_tx_key(connection, KEY, sizeof KEY, &AEAD, KEY, 12, &HP);
    }
    if (level == NGTCP2_ENCRYPTION_LEVEL_INITIAL) return handshake_keys(connection);
    if (level != NGTCP2_ENCRYPTION_LEVEL_HANDSHAKE) return 0;
    if (!end->is_server) {
        problem = problem ? problem : ngtcp2_conn_install_tx_key(connection, KEY, sizeof KEY, &AEAD, KEY, 12, &HP);
        problem = problem ? problem : ngtcp2_conn_submit_crypto_data(connection, level, DATA, 1);
    }
    problem = problem ? problem : ngtcp2_conn_install_rx_key(connection, KEY, sizeof KEY, &AEAD, KEY, 12, &HP);
    if (!problem) ngtcp2_conn_tls_handshake_completed(connection);
    return problem;
}

static int update_key(ngtcp2_conn *connection, uint8_t *rx, uint8_t *tx, ngtcp2_crypto_aead_ctx *rx_context, uint8_t *rx_iv, ngtcp2_crypto_aead_ctx *tx_context,
                      uint8_t *tx_iv, const uint8_t *old_rx, const uint8_t *old_tx, size_t length, void *end) {
    memset(rx, 0, length), memset(tx, 0, length), memset(rx_iv, 0, 12), memset(tx_iv, 0, 12);
    *rx_context = AEAD, *tx_context = AEAD;
    return 0;
}

static int retry(ngtcp2_conn *connection, const ngtcp2_pkt_hd *header, void *end) {
    return NGTCP2_ERR_CALLBACK_FAILURE;
}

static void no_aead(ngtcp2_conn *connection, ngtcp2_crypto_aead_ctx *context, void *end) {}
static void no_cipher(ngtcp2_conn *connection, ngtcp2_crypto_cipher_ctx *context, void *end) {}
