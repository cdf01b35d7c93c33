-- +goose Up
-- The search for notices that versions before 0.9.0 had not counted: no database that this version can upgrade needs it any more.
DROP TABLE missed_notices;
ALTER TABLE nodes DROP COLUMN sound;
