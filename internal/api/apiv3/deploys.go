package apiv3

import (
	"encoding/json"
	"net/http"
	"time"

	"sett/internal/sett/shape"
)

func deployOperations() []operation {
	const path, deploy = projectPath + "/deploys", projectPath + "/deploys/{deploy_id}"
	return []operation{
		{Name: "listDeploys", Method: "GET", Path: path, Scope: "deploys:read", Route: "listDeploys", List: cursors, View: as[shape.Deploy]()},
		{Name: "getDeploy", Method: "GET", Path: deploy, Scope: "deploys:read", Route: "getDeploy", View: as[shape.Deploy]()},
		{Name: "deleteDeploy", Method: "DELETE", Path: deploy, Scope: "deploys:write", Route: "deleteDeploy"},
	}
}

func environmentOperations() []operation {
	const path, one = projectPath + "/environments", projectPath + "/environments/{environment_id}"
	return []operation{
		{Name: "listEnvironments", Method: "GET", Path: path, Scope: "projects:read", Route: "listEnvironments", List: pages, View: as[Environment]()},
		{Name: "createEnvironment", Method: "POST", Path: path, Scope: "projects:write", Route: "createEnvironment", View: as[Environment]()},
		{Name: "bulkUpdateEnvironments", Method: "PATCH", Path: path + "/bulk_update", Scope: "projects:write", Route: "updateEnvironment", Needs: []string{"getEnvironment"}, Takes: []string{"environment_ids", "notifications"}, View: as[Count](), Run: (*call).changeEnvironments},
		{Name: "bulkDeleteEnvironments", Method: "POST", Path: path + "/bulk_delete", Scope: "projects:write", Route: "deleteEnvironment", Needs: []string{"getEnvironment"}, Takes: []string{"environment_ids"}, View: as[Count](), Run: (*call).changeEnvironments},
		{Name: "getEnvironment", Method: "GET", Path: one, Scope: "projects:read", Route: "getEnvironment", View: as[Environment]()},
		{Name: "updateEnvironment", Method: "PATCH", Path: one, Scope: "projects:write", Route: "updateEnvironment", Read: "getEnvironment", View: as[Environment](), Takes: []string{"notifications"}},
		{Name: "deleteEnvironment", Method: "DELETE", Path: one, Scope: "projects:write", Route: "deleteEnvironment"},
	}
}

// Environment is an environment of a project.
type Environment struct {
	ID            id        `json:"id"`
	ProjectID     id        `json:"project_id"`
	Name          string    `json:"name"`
	Notifications bool      `json:"notifications"`
	CreatedAt     time.Time `json:"created_at"`
}

// Count is how many were changed.
type Count struct {
	Count int `json:"count"`
}

// changeEnvironments changes or deletes several environments, after all of them were found.
func (c *call) changeEnvironments() error {
	var ids []id
	if json.Unmarshal(c.body["environment_ids"], &ids) != nil || len(ids) == 0 || len(ids) > mostPerPage {
		return refuse("environment_ids", "must be an array of 1 to %d ids", mostPerPage)
	}
	var body any
	if c.op.Route == "updateEnvironment" {
		if err := needs("notifications")(c); err != nil {
			return err
		}
		body = map[string]any{"environment": map[string]any{"notifications": c.body["notifications"]}}
	}
	for _, one := range ids {
		if _, err := c.askAt("getEnvironment", map[string]string{"environment_id": string(one)}, nil, nil); err != nil {
			return refuse("environment_ids", "has unknown ids: %s", one)
		}
	}
	for _, one := range ids {
		if _, err := c.askAt(c.op.Route, map[string]string{"environment_id": string(one)}, nil, body); err != nil {
			return err
		}
	}
	return c.data(http.StatusOK, Count{len(ids)})
}
