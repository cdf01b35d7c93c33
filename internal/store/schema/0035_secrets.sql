-- +goose Up
-- The keys that values in this database are encrypted with, by their ids: a server without one of them does not start. The
-- keys themselves are in a file; see package seal and sealed.go.
CREATE TABLE secret_keys (
    id         text PRIMARY KEY,
    current    boolean NOT NULL -- what is written now is encrypted with it
);
CREATE UNIQUE INDEX secret_keys_current ON secret_keys (current) WHERE current;

-- One row: whether the files of the database may still hold readable copies of what is encrypted now.
CREATE TABLE secret_traces (
    left_over boolean NOT NULL
);
INSERT INTO secret_traces (left_over) VALUES (false);

-- Encrypted tokens are looked up by their SHA-256. The server fills these in when it encrypts the tokens.
ALTER TABLE invitations ADD COLUMN token_hash bytea;
ALTER TABLE invitations ADD COLUMN mail_token_hash bytea; -- the token itself is in its mail alone
CREATE UNIQUE INDEX invitations_by_token_hash ON invitations (token_hash);
CREATE UNIQUE INDEX invitations_by_mail_token_hash ON invitations (mail_token_hash);
ALTER TABLE status_subscribers ADD COLUMN token_hash bytea;
CREATE UNIQUE INDEX status_subscribers_by_token_hash ON status_subscribers (token_hash);
ALTER TABLE mails ADD COLUMN token_hash bytea; -- of the link in it; NULL: there is none
CREATE INDEX mails_by_token_hash ON mails (token_hash) WHERE token_hash IS NOT NULL;
