-- +goose Up
-- All messages of a part, and of a project, are read together: their rows lie beside each other.
{{messages are clustered}}
