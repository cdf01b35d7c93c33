-- +goose Up
-- On PostgreSQL only. Pages of rows that are counted up have room for a second version of each row, which then needs no entries in
-- indexes. And faults are found by their keys in the newest index: before a table has statistics, all indexes that begin with its project
-- seem equally good, and the newest one is used.
{{counted rows have room}}
{{faults have the newest index by key}}
