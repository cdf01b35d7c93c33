-- +goose Up
-- The columns of the list of errors that a user has chosen (triage.ShownColumns); '' : the usual ones.
ALTER TABLE users ADD COLUMN fault_columns text NOT NULL DEFAULT '';
