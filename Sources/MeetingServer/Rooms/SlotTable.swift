import Signaling

/// The receive slots of one participant, and which publication each carries. A value without side effects.
///
/// A slot keeps its publication as long as that is among those wanted; only what is new or gone changes. So a picture
/// never jumps from one tile's element to another without need.
struct SlotTable: Sendable {
  /// A publication that the participant could receive.
  struct Candidate: Sendable, Hashable {
    var publication: String
    var participant: String
    var kind: TrackKind
  }

  private struct Slot {
    var mid: String
    var kind: TrackKind
    var carries: Candidate?
  }

  private var slots: [Slot] = []
  /// Publications that the receiver cannot decode, until it offers anew.
  private(set) var refused: Set<String> = []

  /// Takes over the slots of a new negotiation. Those that remain keep what they carry.
  mutating func replace(with negotiated: [MediaSlot]) {
    let old = Dictionary(slots.map { ($0.mid, $0) }, uniquingKeysWith: { first, _ in first })
    slots = negotiated.map { slot in
      let carried = old[slot.mid].flatMap { $0.kind == slot.kind ? $0.carries : nil }
      return Slot(mid: slot.mid, kind: slot.kind, carries: carried)
    }
    refused = []
  }

  /// Notes that `publication` cannot go into slot `mid`, which is empty now.
  mutating func refuse(mid: String) {
    guard let index = slots.firstIndex(where: { $0.mid == mid }), let carried = slots[index].carries else { return }
    refused.insert(carried.publication)
    slots[index].carries = nil
  }

  /// Makes the slots carry the first of `candidates`, as many as there are slots of each kind; returns what changed.
  mutating func fill(with candidates: [Candidate]) -> [SlotAssignment] {
    var changes: [SlotAssignment] = []
    for kind in [TrackKind.audio, .video] {
      let indices = slots.indices.filter { slots[$0].kind == kind }
      var wanted: [Candidate] = []
      for candidate in candidates where candidate.kind == kind && !refused.contains(candidate.publication) {
        if wanted.count == indices.count { break }
        wanted.append(candidate)
      }
      let wantedSet = Set(wanted)
      let carried = Set(indices.compactMap { slots[$0].carries })
      var free = indices.indices.filter { place in
        slots[indices[place]].carries.map { !wantedSet.contains($0) } ?? true
      }
      // The slots of the same number are one stream for the receiver, who plays its sound and picture in step.
      let partners = slots.filter { $0.kind != kind }.map { $0.carries?.participant }
      var next: [Int: Candidate] = [:]
      for candidate in wanted where !carried.contains(candidate) {
        let beside = free.firstIndex { $0 < partners.count && partners[$0] == candidate.participant }
        guard let choice = beside ?? free.indices.first else { break }
        next[free.remove(at: choice)] = candidate
      }
      for place in indices.indices {
        let index = indices[place]
        if let current = slots[index].carries, wantedSet.contains(current) { continue }
        guard slots[index].carries != nil || next[place] != nil else { continue }
        slots[index].carries = next[place]
        changes.append(SlotAssignment(mid: slots[index].mid, publication: next[place]?.publication))
      }
    }
    return changes
  }

  /// How many slots of a kind there are.
  func count(of kind: TrackKind) -> Int { slots.count { $0.kind == kind } }

  /// The slots as signalling shows them.
  var info: [SlotInfo] {
    slots.map { SlotInfo(mid: $0.mid, publication: $0.carries?.publication, participant: $0.carries?.participant) }
  }
}
