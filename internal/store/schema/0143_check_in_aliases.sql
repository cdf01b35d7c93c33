-- +goose Up
-- Addresses of another monitor at which the jobs of check-ins that came from it go on to report.
CREATE TABLE check_in_aliases (
    hash     bytea PRIMARY KEY, -- of the part of the address that is a secret, with the name of its form
    check_in bigint NOT NULL REFERENCES check_ins ON DELETE CASCADE
);
CREATE INDEX check_in_aliases_by_check_in ON check_in_aliases (check_in);
