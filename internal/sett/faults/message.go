package faults

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"sett/internal/event/payload"
)

// Said is the class and the message of an error, or of what led to it.
type Said struct {
	Class   string
	Message string // without a leading "Class: "
}

// Title returns what is said in one text: "Class: Message".
func (s Said) Title() string {
	if s.Class == "" || s.Message == "" {
		return s.Class + s.Message
	}
	return s.Class + ": " + s.Message
}

// How much is kept of what the events of an error say.
const (
	LongestSaid  = 2_000 // bytes of a message
	MostMessages = 200   // different messages of a part of a fault
	MostCauses   = 50    // different classes and messages of what led to it
)

// Kept returns what is kept of s.
func (s Said) Kept() Said {
	if len(s.Message) <= LongestSaid {
		return s
	}
	n := LongestSaid
	for n > 0 && !utf8.RuneStart(s.Message[n]) {
		n--
	}
	s.Message = s.Message[:n]
	return s
}

// SaidKey identifies what is said. The zero SaidKey stands for all that there is no room for.
type SaidKey [16]byte

// String returns the key as an address has it.
func (k SaidKey) String() string { return hex.EncodeToString(k[:]) }

// ParseSaidKey is the inverse of String; it returns false for what is no key.
func ParseSaidKey(text string) (k SaidKey, ok bool) {
	b, err := hex.DecodeString(text)
	return k, copy(k[:], b) == len(k) && len(b) == len(k) && err == nil
}

// Key returns the key of what is kept of s.
func (s Said) Key() (k SaidKey) {
	s = s.Kept()
	b := append(append(append(make([]byte, 0, 512), s.Class...), 0), s.Message...) // most fit on the stack
	sum := sha256.Sum256(b)
	copy(k[:], sum[:])
	return k
}

// Message is a class and a message that events of a fault have.
type Message struct {
	Said
	Count int64     // events
	Last  time.Time // of the last of them; zero if none has had it since others have another
	Rest  bool      // it stands for others, too, that are not kept: for all of them if it is empty
}

// KeptMessage is a stored message of a part of a fault.
type KeptMessage struct {
	Message
	Key SaidKey
}

// PartSaid is what the events of a part of a fault say.
type PartSaid struct {
	Own   Said  // of the part itself
	Count int64 // events of the part
	Kept  []KeptMessage
}

// MessagesOf returns the different messages of a fault, the newest first, and at the end what is not kept. One that several parts have is listed once.
// Events of which nothing else is known have the message of their part.
func MessagesOf(parts []PartSaid) (all []Message) {
	at := map[SaidKey]int{}
	add := func(key SaidKey, m Message) {
		i, known := at[key]
		if !known {
			at[key], all = len(all), append(all, m)
			return
		}
		all[i].Count += m.Count
		if m.Last.After(all[i].Last) {
			all[i].Said, all[i].Last = m.Said, m.Last
		}
	}
	for _, p := range parts {
		own := Message{Said: p.Own, Count: p.Count}
		key := p.Own.Key()
		for _, m := range p.Kept {
			if m.Key == key {
				own.Last = m.Last
				continue
			}
			m.Rest = m.Key == SaidKey{}
			own.Count -= m.Count
			add(m.Key, m.Message)
		}
		own.Count = max(0, own.Count)
		add(key, own)
	}
	slices.SortStableFunc(all, func(a, b Message) int {
		return cmp.Or(compareRest(a, b), b.Last.Compare(a.Last))
	})
	return all
}

// compareRest puts what is not kept, and says nothing, behind everything else.
func compareRest(a, b Message) int {
	last := func(m Message) int {
		if m.Rest && m.Said == (Said{}) {
			return 1
		}
		return 0
	}
	return last(a) - last(b)
}

// Newest is the newest message of a fault whose messages differ.
type Newest struct {
	Said
	Others int  // different messages
	More   bool // and others, which are not kept
}

// NewestOf returns the newest of the messages of a fault, as MessagesOf returns them, and false if all are the same.
func NewestOf(all []Message) (n Newest, differ bool) {
	for _, m := range all {
		n.More = n.More || m.Rest
		if !m.Rest {
			n.Others++
		}
	}
	if len(all) == 0 || n.Others <= 1 && !n.More {
		return Newest{}, false
	}
	n.Said = all[0].Said
	if !all[0].Rest {
		n.Others--
	}
	return n, true
}

// Match is what a search has found of what a fault, its events and their causes say.
type Match struct {
	Said
	Cause bool // it led to an event
}

// Says reports whether a notice has a message, or an error in it that the notice may be named by.
func (n Notice) Says(key SaidKey) bool {
	if (Said{oneLine(n.Class), n.Message}).Key() == key {
		return true
	}
	return slices.ContainsFunc(n.Causes, func(c payload.Cause) bool { return Said{oneLine(c.Class), c.Message}.Key() == key })
}

// oneLine returns a class as reports have it.
func oneLine(class string) string {
	class = strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, class))
	const most = 255
	if runes := []rune(class); len(runes) > most {
		class = strings.TrimSpace(string(runes[:most]))
	}
	return class
}
