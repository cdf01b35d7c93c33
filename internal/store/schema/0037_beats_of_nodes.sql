-- +goose Up
ALTER TABLE nodes ADD COLUMN beaten_at bigint NOT NULL DEFAULT 0; -- when its process last said that it is alive, by the clock of the database; 0: not yet
