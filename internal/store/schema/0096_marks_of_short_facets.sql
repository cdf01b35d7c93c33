-- +goose Up
-- Since 0089, short facets of earlier versions have marks too, and all facets of this one say that they are marked. What was stored in between is
-- marked like that of earlier versions: blocks when they are rewritten, bundles when they become blocks.
UPDATE blocks SET marks = NULL, rewrites = true;
