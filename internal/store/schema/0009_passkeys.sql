-- +goose Up
-- Credentials of WebAuthn with which people sign in.
CREATE TABLE passkeys (
    id            {{identity}},
    user_id       bigint NOT NULL REFERENCES users ON DELETE CASCADE,
    name          text NOT NULL,
    credential_id bytea NOT NULL UNIQUE, -- as the authenticator has chosen it
    handle        bytea NOT NULL,        -- what the authenticator calls the user: random, the same for all passkeys of one
    public_key    bytea NOT NULL,        -- a COSE key (RFC 9052)
    sign_count    bigint NOT NULL,       -- 0: the authenticator does not count
    syncs         boolean NOT NULL,      -- it may be on several devices of its owner (flag BE)
    copied        boolean NOT NULL,      -- its counter went back: a copy exists, and it is refused
    created_at    bigint NOT NULL,
    used_at       bigint NOT NULL        -- 0: never
);
CREATE INDEX passkeys_by_user ON passkeys (user_id, id);

-- Who people are to an issuer of OpenID Connect.
CREATE TABLE oidc_identities (
    issuer     text NOT NULL,
    subject    text NOT NULL,
    user_id    bigint NOT NULL REFERENCES users ON DELETE CASCADE,
    email      text NOT NULL, -- as the issuer gave it when the two were connected
    created_at bigint NOT NULL,
    PRIMARY KEY (issuer, subject)
);
CREATE INDEX oidc_identities_by_user ON oidc_identities (user_id);

-- What was asked of a browser that has yet to answer: a passkey, a sign-in with an issuer. Each is answered once.
CREATE TABLE challenges (
    hash       bytea PRIMARY KEY, -- SHA-256 of the cookie's secret
    purpose    text NOT NULL,
    user_id    bigint REFERENCES users ON DELETE CASCADE, -- null: no user was signed in
    state      bytea NOT NULL,    -- what the answer is held against
    expires_at bigint NOT NULL
);
CREATE INDEX challenges_by_expiry ON challenges (expires_at);
CREATE INDEX challenges_by_user ON challenges (user_id);
