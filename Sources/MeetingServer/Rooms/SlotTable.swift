import Signaling

/// The receive slots of one participant, and which publication each carries. A value without side effects.
///
/// A slot keeps its publication as long as that is among those wanted; only what is new or gone changes. So a picture
/// never jumps from one tile's element to another without need. With more sound than slots for it, the media plane lets the slots follow the
/// loudest voices and says what they carry (``carry(_:in:)``).
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
    /// Whether the media plane decides what it carries.
    var followsLoudest = false
  }

  private var slots: [Slot] = []
  /// Publications that the receiver cannot decode, until it offers anew.
  private(set) var refused: Set<String> = []

  /// Takes over the slots of a new negotiation. Those that remain keep what they carry.
  mutating func replace(with negotiated: [MediaSlot]) {
    let old = Dictionary(slots.map { ($0.mid, $0) }, uniquingKeysWith: { first, _ in first })
    slots = negotiated.map { slot in
      let carried = old[slot.mid].flatMap { $0.kind == slot.kind ? $0.carries : nil }
      let follows = old[slot.mid].map { $0.kind == slot.kind && $0.followsLoudest } ?? false
      return Slot(mid: slot.mid, kind: slot.kind, carries: carried, followsLoudest: follows)
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
      let known = candidates.filter { $0.kind == kind && !refused.contains($0.publication) }
      if kind == .audio, known.count > indices.count {
        followLoudest(indices, Set(known), &changes)
        continue
      }
      let handedBack = indices.filter { slots[$0].followsLoudest }
      for index in handedBack { slots[index].followsLoudest = false }
      var wanted: [Candidate] = []
      for candidate in known {
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
      for index in handedBack where !changes.contains(where: { $0.mid == slots[index].mid }) {
        changes.append(SlotAssignment(mid: slots[index].mid, publication: slots[index].carries?.publication))
      }
    }
    return changes
  }

  private mutating func followLoudest(
    _ indices: [Int], _ known: Set<Candidate>, _ changes: inout [SlotAssignment]
  ) {
    for index in indices {
      let isGone = slots[index].carries.map { !known.contains($0) } ?? false
      if isGone { slots[index].carries = nil }
      guard isGone || !slots[index].followsLoudest else { continue }
      slots[index].followsLoudest = true
      changes.append(SlotAssignment(mid: slots[index].mid, publication: nil, followsLoudest: true))
    }
  }

  /// The media plane lets a slot carry something else; true when that is news. A slot that does not follow the loudest any more is left alone.
  mutating func carry(_ candidate: Candidate?, in mid: String) -> Bool {
    guard let index = slots.firstIndex(where: { $0.mid == mid }), slots[index].followsLoudest,
      slots[index].carries != candidate
    else { return false }
    slots[index].carries = candidate
    return true
  }

  /// How many slots of a kind there are.
  func count(of kind: TrackKind) -> Int { slots.count { $0.kind == kind } }

  /// The slots as signalling shows them.
  var info: [SlotInfo] {
    slots.map { SlotInfo(mid: $0.mid, publication: $0.carries?.publication, participant: $0.carries?.participant) }
  }
}
