-- +goose Up
-- An account may require its people to sign in with its identity provider. So a session says whose provider began it.
ALTER TABLE directories ADD COLUMN sign_on_required boolean NOT NULL DEFAULT false;
ALTER TABLE sessions ADD COLUMN account_id text NOT NULL DEFAULT '';   -- whose identity provider began it; '' : none
ALTER TABLE sessions ADD COLUMN factor boolean NOT NULL DEFAULT false; -- it began with two factors at sett
ALTER TABLE login_steps ADD COLUMN account_id text NOT NULL DEFAULT ''; -- as that of the session
