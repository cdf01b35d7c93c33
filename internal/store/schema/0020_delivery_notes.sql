-- +goose Up
-- What there is to know of a delivery whatever comes of it, such as that a filter could not be searched. '' : nothing
ALTER TABLE deliveries ADD COLUMN note text NOT NULL DEFAULT '';
