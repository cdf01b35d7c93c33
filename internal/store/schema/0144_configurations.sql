-- +goose Up
-- What the files of configuration as code made in an account, and who is applying some. The files themselves are not kept.
CREATE TABLE configurations (
    account_id text PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    version    bigint NOT NULL,
    salt       text NOT NULL,   -- of the fingerprints in things
    things     text NOT NULL,   -- JSON: accounts.ConfiguredThing by path
    lease      text NOT NULL,   -- its id; '' : nothing is being applied
    holder     text NOT NULL,   -- of the lease, for people
    held_until bigint NOT NULL,
    updated_at bigint NOT NULL
);
