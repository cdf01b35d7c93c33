package api

import "sett/internal/sett"

// UUID is an id of 128 bits as answers hold it and bodies take it: sett.UUID has no text of its own in JSON, because agents
// exchange its bytes.
type UUID string

// JSONSchema implements serve.JSONSchemaer.
func (UUID) JSONSchema() map[string]any { return map[string]any{"type": "string", "format": "uuid"} }

func viewUUID(id sett.UUID) UUID { return UUID(id.String()) }
