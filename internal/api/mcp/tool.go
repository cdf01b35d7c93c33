package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sett/internal/sett"
)

// tool is one line of the table of tools.
type tool struct {
	name, title, doc string

	scope   string
	params  []param
	changes change
	run     func(c *call) error
}

// change says what a tool changes.
type change int

const (
	nothing change = iota
	inside         // what people of the account see, and can undo
	outside        // what visitors of a status page see
)

// param is a parameter of a tool.
type param struct {
	name string
	kind kind
	doc  string
	enum []string
	need bool
}

// kind is what a parameter holds.
type kind int

const (
	text   kind = iota
	number      // a whole number
	flag
	list // of texts
	ref  // what names a thing: its id, or the address of its page
)

// needed returns a parameter that must be there.
func needed(p param) param {
	p.need = true
	return p
}

// The parameters that several tools have.
func projectParam() param { return param{name: "project", kind: ref, doc: "id or address"} }

func errorParam() param {
	return needed(param{name: "error", kind: ref, doc: "address, or id with project"})
}
func limitParam() param { return param{name: "limit", kind: number, doc: "1-25, default 10"} }

// described returns a tool as clients list it.
func (t tool) described() *sdk.Tool {
	properties, required := map[string]any{}, []string{}
	for _, p := range t.params {
		properties[p.name] = p.schema()
		if p.need {
			required = append(required, p.name)
		}
	}
	schema := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		schema["required"] = required
	}
	open, destroys := t.changes == outside, t.changes == outside
	return &sdk.Tool{
		Name: t.name, Description: t.doc, InputSchema: schema, Annotations: &sdk.ToolAnnotations{
			Title: t.title, ReadOnlyHint: t.changes == nothing, DestructiveHint: &destroys, OpenWorldHint: &open, IdempotentHint: t.changes == nothing,
		},
	}
}

func (p param) schema() map[string]any {
	schema := map[string]any{"type": [...]string{"string", "integer", "boolean", "array", "string"}[p.kind]}
	if p.kind == list {
		schema["items"] = map[string]any{"type": "string"}
	}
	if p.doc != "" {
		schema["description"] = p.doc
	}
	if p.enum != nil {
		schema["enum"] = p.enum
	}
	return schema
}

// waitForPrevious is an argument that the Gemini CLI adds to the tools of all servers. It acts on it itself, and sends it all the same.
const waitForPrevious = "wait_for_previous"

// read reads the arguments of a call, and says of each that is wrong what it must be.
func (c *call) read(arguments json.RawMessage) error {
	given := map[string]any{}
	if len(arguments) > 0 {
		decoder := json.NewDecoder(bytes.NewReader(arguments))
		decoder.UseNumber()
		if err := decoder.Decode(&given); err != nil {
			return sett.Errorf(sett.Invalid, "The arguments must be a JSON object.")
		}
	}
	c.in, c.at = map[string]any{}, map[string]string{}
	var problems sett.Problems
	for _, p := range c.tool.params {
		v, there := given[p.name]
		delete(given, p.name)
		if !there || v == nil || v == "" {
			if p.need {
				problems.Add(p.name, "is required: %s", p.doc)
			}
			continue
		}
		if wrong := c.take(p, v); wrong != "" {
			problems.Add(p.name, "%s", wrong)
		}
	}
	delete(given, waitForPrevious)
	for _, name := range slices.Sorted(maps.Keys(given)) {
		problems.Add(agentName(name), "is no argument of %s", c.tool.name)
	}
	return problems.Refusal()
}

// take keeps an argument, or says what it must be.
func (c *call) take(p param, v any) (wrong string) {
	said := strings.TrimSpace(fmt.Sprint(v))
	switch p.kind {
	case ref:
		return c.point(p.name, strings.TrimPrefix(said, "#"))
	case number:
		n, err := strconv.ParseInt(said, 10, 64)
		if err != nil {
			return "must be a whole number"
		}
		c.in[p.name] = n
	case flag:
		yes, err := strconv.ParseBool(said)
		if err != nil {
			return "must be true or false"
		}
		c.in[p.name] = yes
	case list:
		texts, ok := v.([]any)
		if !ok {
			texts = []any{said}
		}
		all := []string{}
		for _, one := range texts {
			all = append(all, fmt.Sprint(one))
		}
		c.in[p.name] = all
	default:
		if p.enum != nil && !slices.Contains(p.enum, said) {
			return "must be one of " + strings.Join(p.enum, ", ")
		}
		c.in[p.name] = said
	}
	return ""
}

// word returns an argument that is a text; "" for none.
func (c *call) word(name string) string {
	said, _ := c.in[name].(string)
	return said
}

// size returns how many results are wanted.
func (c *call) size() string {
	n, ok := c.in["limit"].(int64)
	if !ok {
		n = 10
	}
	return strconv.FormatInt(min(max(n, 1), 25), 10)
}

// only returns the arguments of these names that were given.
func (c *call) only(names ...string) map[string]any {
	given := map[string]any{}
	for _, name := range names {
		if v, ok := c.in[name]; ok {
			given[name] = v
		}
	}
	return given
}
