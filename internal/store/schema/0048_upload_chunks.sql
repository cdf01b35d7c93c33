-- +goose Up
-- Parts of archives that clients upload, until all parts of an archive are there; see store/sourcemap.
CREATE TABLE upload_chunks (
    id         {{identity}},
    account_id text NOT NULL REFERENCES accounts ON DELETE CASCADE,
    user_id    bigint NOT NULL, -- who sent it; 0: a client with a project's key
    project_id bigint NOT NULL, -- of that key; 0: none
    hash       bytea NOT NULL,  -- SHA-1 of the chunk
    bytes      bigint NOT NULL, -- of the chunk
    stored     bigint NOT NULL, -- of body
    created_at bigint NOT NULL,
    body       bytea NOT NULL   -- the chunk, compressed
);
CREATE UNIQUE INDEX upload_chunks_by_hash ON upload_chunks (account_id, user_id, project_id, hash);
CREATE INDEX upload_chunks_by_age ON upload_chunks (created_at, stored);
CREATE INDEX upload_chunks_of_account ON upload_chunks (account_id, created_at, stored);
{{upload chunks are compressed}}

-- The archive that a source map came in. A client that has it uploads it only if maps of it are missing.
ALTER TABLE source_maps ADD COLUMN bundle text NOT NULL DEFAULT '';          -- its checksum and release; '': none
ALTER TABLE source_maps ADD COLUMN bundle_maps bigint NOT NULL DEFAULT 0; -- source maps that it had
CREATE INDEX source_maps_by_bundle ON source_maps (project_id, bundle) WHERE bundle <> '';
