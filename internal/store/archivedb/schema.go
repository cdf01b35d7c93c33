package archivedb

import (
	"context"
	"encoding/json"
	"maps"

	"sett/internal/store/db"
)

// Schema returns the JSON Schema of the records of every noun: one definition for each file.
func (s *Store) Schema(ctx context.Context) ([]byte, error) {
	columns, err := s.db.Columns(ctx, s.db.Read)
	if err != nil {
		return nil, err
	}
	definitions := map[string]any{}
	for _, n := range Nouns() {
		properties := map[string]any{}
		for _, c := range n.columns(columns[n.Table]) {
			if c.Name != n.File {
				properties[c.Name] = n.property(c)
			}
		}
		definitions[n.Name] = object(n.Holds, properties)
	}
	maps.Copy(definitions, map[string]any{
		Events: object("events of errors, as clients sent them and as data scrubbing left them", map[string]any{
			"id": text("UUID, by which clients and people know it"), "fault_id": number("id in errors or merged_errors"), "project_id": number("id in projects"),
			"at": number("when it was received, in microseconds since 1970 UTC"), "class": text("class of the error"), "location": text("component and action"),
			"user": text("the affected user"), "revision": text("release"), "format": text("of the body; empty for that of the API"), "body": map[string]any{"type": "object", "description": "the event as it was sent"},
		}),
		Attachments: object("files that clients sent with events; the file is attachments/ID, compressed with zstd", map[string]any{
			"id": number("number of the file"), "project_id": number("id in projects"), "event_id": text("id in events"), "name": text("name of the file"), "type": text("media type"),
			"bytes": number("size before compression"), "hash": text("SHA-256 of its name and bytes, in base64"),
		}),
	})
	return json.MarshalIndent(map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Export of sett",
		"description": "Each line of a file NOUN.jsonl is one object of the definition NOUN. Times are microseconds since 1970 UTC, and 0 is none. Bytes are base64.",
		"$defs":       definitions,
	}, "", "  ")
}

func object(holds string, properties map[string]any) map[string]any {
	return map[string]any{"type": "object", "description": holds, "properties": properties}
}

func text(says string) map[string]any { return map[string]any{"type": "string", "description": says} }

func number(says string) map[string]any {
	return map[string]any{"type": "integer", "description": says}
}

// property describes a column.
func (n Noun) property(c db.ColumnShape) map[string]any {
	kind := map[string]any{"integer": "integer", "number": "number", "boolean": "boolean", "text": "string", "bytes": "string"}[c.Type]
	if n.mayBeNull(c) {
		kind = []any{kind, "null"}
	}
	p := map[string]any{"type": kind}
	if c.Type == "bytes" {
		p["contentEncoding"] = "base64"
	}
	for _, r := range n.refs {
		if r.column == c.Name {
			p["description"] = "refers to " + r.noun
		}
	}
	return p
}
