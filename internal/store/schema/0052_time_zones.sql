-- +goose Up
-- The time zone that times are shown in: the one that the user chose, else the one of their browser as it was seen last. '' is none.
ALTER TABLE users ADD COLUMN zone text NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN browser_zone text NOT NULL DEFAULT '';
