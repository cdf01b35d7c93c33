package apiv3

import "sett/internal/sett/shape"

func commentOperations() []operation {
	const path, comment = faultPath + "/comments", faultPath + "/comments/{comment_id}"
	return []operation{
		{Name: "listComments", Method: "GET", Path: path, Scope: "faults:read", Route: "listComments", List: reversed, View: as[shape.Comment](), Differs: "The author has no `email`."},
		{Name: "createComment", Method: "POST", Path: path, Scope: "faults:write", Route: "createComment", View: as[shape.Comment](), Person: true},
		{Name: "getComment", Method: "GET", Path: comment, Scope: "faults:read", Route: "getComment", View: as[shape.Comment]()},
		{Name: "updateComment", Method: "PATCH", Path: comment, Scope: "faults:write", Route: "updateComment", Read: "getComment", View: as[shape.Comment](), Person: true},
		{Name: "deleteComment", Method: "DELETE", Path: comment, Scope: "faults:write", Route: "deleteComment", Person: true},
	}
}
