package prober

import "time"

// Protocol is the version of the protocol between agents and servers. A server asks an agent with another version to update.
const Protocol = 1

// Paths under which a server listens to its agents. Both take POST, a JSON body, and the agent's token as Bearer.
const (
	PollPath   = "/agent/poll"
	UploadPath = "/agent/checks"
)

// Poll is what an agent asks for: orders from a revision on. A server that has none yet waits a while for them.
type Poll struct {
	Protocol int       `json:"protocol"`
	Version  string    `json:"version"`         // of the agent's program
	Kinds    []string  `json:"kinds,omitempty"` // of the sites that it can check, such as "tcp", and what else checks may need; none: "http" alone, as in 0.9
	Location string    `json:"location"`        // that it checks from
	Revision int64     `json:"revision"`        // of the last orders; 0: none
	Degraded bool      `json:"degraded"`        // nothing can be reached from there
	Sent     time.Time `json:"sent"`            // by the agent's clock
}

// Orders answer a Poll.
type Orders struct {
	Protocol int     `json:"protocol"`
	Standby  bool    `json:"standby"` // another agent checks from this location: there is nothing to do
	Changes  Changes `json:"changes"`
}

// Upload is a batch of reports. A stream is one run of an agent; within it, batches are numbered from 1, and each counts
// once however often it is sent.
type Upload struct {
	Protocol int       `json:"protocol"`
	Location string    `json:"location"`
	Stream   string    `json:"stream"`
	Sequence int64     `json:"sequence"`
	Dropped  int64     `json:"dropped"` // reports that this agent lost, for want of room, since it began
	Sent     time.Time `json:"sent"`    // by the agent's clock, which made the times of the reports too
	Reports  []Report  `json:"reports"`
}

// Receipt answers an Upload once it is stored.
type Receipt struct {
	Repeated bool `json:"repeated"` // it was stored before
}
