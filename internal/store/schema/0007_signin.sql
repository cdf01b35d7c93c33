-- +goose Up
-- Browsers in which a user is signed in.
CREATE TABLE sessions (
    id           {{identity}},
    hash         bytea NOT NULL UNIQUE, -- SHA-256 of the cookie's secret
    user_id      bigint NOT NULL REFERENCES users ON DELETE CASCADE,
    how          text NOT NULL,         -- sett.How
    created_at   bigint NOT NULL,
    last_seen_at bigint NOT NULL,
    address      text NOT NULL,
    user_agent   text NOT NULL
);
CREATE INDEX sessions_by_user ON sessions (user_id, last_seen_at);
CREATE INDEX sessions_by_use ON sessions (last_seen_at);

-- People who have given their password and not yet their second factor.
CREATE TABLE login_steps (
    hash       bytea PRIMARY KEY, -- SHA-256 of the cookie's secret
    user_id    bigint NOT NULL REFERENCES users ON DELETE CASCADE,
    how        text NOT NULL,     -- sett.How
    expires_at bigint NOT NULL
);
CREATE INDEX login_steps_by_expiry ON login_steps (expires_at);

-- Links that set a new password.
CREATE TABLE password_resets (
    hash       bytea PRIMARY KEY, -- SHA-256 of the secret in the link
    user_id    bigint REFERENCES users ON DELETE CASCADE, -- null: no user has the address; stored so that requests for it take as long
    expires_at bigint NOT NULL
);
CREATE INDEX password_resets_by_user ON password_resets (user_id);
CREATE INDEX password_resets_by_expiry ON password_resets (expires_at);

-- Apps that make codes of six digits (RFC 6238).
CREATE TABLE second_factors (
    user_id   bigint PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    secret    text NOT NULL,    -- base32; codes are made from it, so it cannot be hashed
    confirmed boolean NOT NULL, -- false: a code of it was never shown, and it does not count
    last_step bigint NOT NULL   -- the time step of the last code that was used: none is used twice
);

CREATE TABLE recovery_codes (
    user_id bigint NOT NULL REFERENCES users ON DELETE CASCADE,
    hash    bytea NOT NULL, -- SHA-256 of a code that stands for the app once
    PRIMARY KEY (user_id, hash)
);

-- Failed sign-ins that still count; sett.Failures.
CREATE TABLE login_failures (
    key        bytea PRIMARY KEY, -- SHA-256 of what they were tried on or from
    count      bigint NOT NULL,
    wait_until bigint NOT NULL
);
CREATE INDEX login_failures_by_wait ON login_failures (wait_until);

ALTER TABLE tokens ADD COLUMN read_only boolean NOT NULL DEFAULT false;
ALTER TABLE tokens ADD COLUMN expires_at bigint NOT NULL DEFAULT 0; -- 0: never
ALTER TABLE tokens ADD COLUMN used_at bigint NOT NULL DEFAULT 0;    -- 0: never
ALTER TABLE tokens ADD COLUMN used_from text NOT NULL DEFAULT '';   -- network address
CREATE INDEX tokens_by_user ON tokens (user_id, id);
