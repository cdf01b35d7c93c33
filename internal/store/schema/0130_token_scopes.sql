-- +goose Up
-- What a token for /v3 may do: its scopes, in one account, and there in some projects. A token without scopes is one of /v2.
ALTER TABLE tokens ADD COLUMN scopes text NOT NULL DEFAULT '';   -- with spaces between them; '' : those of the user, and read_only counts
ALTER TABLE tokens ADD COLUMN account_id text REFERENCES accounts ON DELETE CASCADE; -- NULL: every account of the user
ALTER TABLE tokens ADD COLUMN projects text NOT NULL DEFAULT ''; -- ids with spaces between them; '' : all
ALTER TABLE tokens ADD COLUMN of_account boolean NOT NULL DEFAULT false; -- owners and admins of the account see and revoke it
CREATE INDEX tokens_by_account ON tokens (account_id, id);

-- What a key of a project is for, in words; '' : not said.
ALTER TABLE project_keys ADD COLUMN label text NOT NULL DEFAULT '';
