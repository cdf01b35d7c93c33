package apiv3

import "time"

func keyOperations() (all []operation) {
	view := as[IngestionKey]()
	for _, noun := range []struct{ path, list, one string }{{"/ingestion_keys", "IngestionKeys", "IngestionKey"}, {"/keys", "ProjectKeys", "ProjectKey"}} {
		path, one := projectPath+noun.path, projectPath+noun.path+"/{key_id}"
		all = append(all,
			operation{Name: "list" + noun.list, Method: "GET", Path: path, Scope: "projects:read", Route: "listProjectKeys", List: pages, View: view},
			operation{Name: "create" + noun.one, Method: "POST", Path: path, Scope: "projects:write", Route: "createProjectKey", View: view},
			operation{Name: "get" + noun.one, Method: "GET", Path: one, Scope: "projects:read", Route: "getProjectKey", View: view},
			operation{Name: "update" + noun.one, Method: "PATCH", Path: one, Scope: "projects:write", Route: "updateProjectKey", Read: "getProjectKey", View: view},
			operation{Name: "delete" + noun.one, Method: "DELETE", Path: one, Scope: "projects:write", Route: "deleteProjectKey", Differs: "The last key that may report everything cannot be deleted: 422."},
		)
	}
	return all
}

// IngestionKey is a key with which clients report.
type IngestionKey struct {
	ID        id        `json:"id"`
	ProjectID id        `json:"project_id"`
	Key       string    `json:"key" doc:"A secret."`
	Label     *string   `json:"label"`
	Scope     string    `json:"scope" enum:"all,notices" doc:"What the key can report: everything, or only errors. An addition of sett."`
	CreatedAt time.Time `json:"created_at"`
}

func (k *IngestionKey) finish(c *call) { k.ProjectID = id(c.r.PathValue("project_id")) }
