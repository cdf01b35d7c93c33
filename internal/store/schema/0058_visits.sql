-- +goose Up
-- When a user was last active, and when the visit before the present one ended, so that they see what is new since; 0: never.
ALTER TABLE users ADD COLUMN active_at bigint NOT NULL DEFAULT 0;
ALTER TABLE users ADD COLUMN away_at bigint NOT NULL DEFAULT 0;
