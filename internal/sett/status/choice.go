package status

import "slices"

// ComponentChoice is which components of a page a subscriber is sent updates of. Updates about the whole page are sent to all.
type ComponentChoice struct {
	Selective    bool // false: all components, also those that are added later
	ComponentIDs []int64
}

// Has reports whether the choice has a component.
func (c ComponentChoice) Has(component int64) bool {
	return !c.Selective || slices.Contains(c.ComponentIDs, component)
}

// Choose returns the choice of some components of the page; that of all is no choice.
func (page StatusPage) Choose(ids []int64) (choice ComponentChoice) {
	for _, c := range page.Components {
		if slices.Contains(ids, c.ID) {
			choice.ComponentIDs = append(choice.ComponentIDs, c.ID)
		}
	}
	if choice.Selective = len(choice.ComponentIDs) < len(page.Components); !choice.Selective {
		choice.ComponentIDs = nil
	}
	return choice
}
