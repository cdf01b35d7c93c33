-- +goose Up
ALTER TABLE sites ADD COLUMN follow_redirects boolean NOT NULL DEFAULT false;
