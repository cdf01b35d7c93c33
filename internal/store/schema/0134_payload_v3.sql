-- +goose Up
-- The payload of version 3 of an alert, packed as its message; NULL before a webhook that asks for this version was sent it.
ALTER TABLE alerts ADD COLUMN body_v3 bytea;
