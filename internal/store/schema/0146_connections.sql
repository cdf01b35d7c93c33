-- +goose Up
-- A token that a program got by OAuth, and how the program gets the next one. What ends the token ends the connection.
CREATE TABLE connections (
    token_id     bigint PRIMARY KEY REFERENCES tokens ON DELETE CASCADE,
    client       text NOT NULL,   -- the id with which the program asks
    refresh_hash bytea NOT NULL UNIQUE, -- SHA-256 of the refresh token
    before_hash  bytea NOT NULL UNIQUE, -- of what it was made from: the refresh token before, or the code
    salt         bytea NOT NULL,  -- with it, the next secrets follow from the refresh token
    refreshed_at bigint NOT NULL,
    expires_at   bigint NOT NULL
);
