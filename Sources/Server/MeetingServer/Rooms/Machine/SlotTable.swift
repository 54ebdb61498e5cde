import Basics
import RTC
import SFU
import Signaling

/// The receive slots of one participant, and the publication in each. A value without side effects.
///
/// A slot keeps its publication as long as that is among those wanted; only new and ended ones change slots. So video
/// doesn't jump from one tile's element to another without need. When there are more audio publications than slots for
/// them, the media plane lets the slots follow the loudest speakers, and reports their publications (``carry(_:in:)``).
struct SlotTable: Sendable {
  /// A publication that the participant could receive. Candidates are equal if their ids are.
  struct Candidate: Sendable, Hashable {
    var publication: String
    var participant: String
    var kind: TrackKind
    /// The codec that it comes in; while that is unknown, all that it may come in.
    var codecs: [NegotiatedCodec] = []

    static func == (a: Candidate, b: Candidate) -> Bool { a.publication == b.publication }

    func hash(into hasher: inout Hasher) { hasher.combine(publication) }
  }

  private struct Slot {
    var mid: String
    var kind: TrackKind
    var codecs: [NegotiatedCodec]
    var carries: Candidate?
    /// Whether the media plane chooses its publication.
    var followsLoudest = false

    /// The slot as the media plane is asked for it.
    var change: SlotChange {
      SlotChange(
        mid: MID(rawValue: mid),
        publication: followsLoudest ? nil : carries.map { PublicationID(rawValue: $0.publication) },
        followsLoudest: followsLoudest)
    }
  }

  private var slots: [Slot] = []
  /// The different lists of codecs that slots of each kind take. A kind without an entry isn't received. A kind without
  /// lists is received, but in no usable codec.
  private(set) var codecs: [TrackKind: [[NegotiatedCodec]]] = [:]
  /// Publications that the receiver cannot decode; see ``assess(_:)``.
  private(set) var undecodable: [String: Candidate] = [:]

  /// Replaces the slots after a negotiation, and the kinds of rejected slots. Remaining slots keep their publications.
  /// Call ``assess(_:)`` with every candidate before the next ``fill(with:)``.
  mutating func replace(with negotiated: [NegotiatedSlot], rejected: Set<TrackKind> = []) {
    let old = Dictionary(slots.map { ($0.mid, $0) }, uniquingKeysWith: { first, _ in first })
    slots = negotiated.map { slot in
      let mid = slot.mid.rawValue
      let kind = TrackKind(slot.kind)
      let carried = old[mid].flatMap { $0.kind == kind ? $0.carries : nil }
      let follows = old[mid].map { $0.kind == kind && $0.followsLoudest } ?? false
      return Slot(mid: mid, kind: kind, codecs: slot.codecs, carries: carried, followsLoudest: follows)
    }
    codecs = Dictionary(rejected.map { ($0, []) }, uniquingKeysWith: { first, _ in first })
    for slot in slots where codecs[slot.kind]?.contains(slot.codecs) != true {
      codecs[slot.kind, default: []].append(slot.codecs)
    }
    undecodable = [:]
  }

  /// Records whether any slot can carry the codecs of `candidate`; true when that changed. A participant without slots
  /// of its kind doesn't receive it, and so lacks no codec.
  mutating func assess(_ candidate: Candidate) -> Bool {
    let isUndecodable =
      codecs[candidate.kind].map { lists in !lists.contains { Self.takes(candidate, $0) } } ?? false
    let before = undecodable[candidate.publication]
    undecodable[candidate.publication] = isUndecodable ? candidate : nil
    return isUndecodable != (before != nil) || isUndecodable && before?.codecs.first != candidate.codecs.first
  }

  /// The publication has ended.
  mutating func forget(_ publication: String) { undecodable[publication] = nil }

  /// Whether a decoder of `codecs` understands the codecs of `candidate`.
  static func takes(_ candidate: Candidate, _ codecs: [NegotiatedCodec]) -> Bool {
    candidate.codecs.contains { $0.bestMatch(in: codecs) != nil }
  }

  /// Empties slot `mid`, which can't carry its publication.
  mutating func refuse(mid: String) {
    guard let index = slots.firstIndex(where: { $0.mid == mid }), let carried = slots[index].carries else { return }
    undecodable[carried.publication] = carried
    slots[index].carries = nil
  }

  /// Puts the first of `candidates` into the slots, as many as there are slots of each kind; returns the changes.
  mutating func fill(with candidates: [Candidate]) -> [SlotChange] {
    var changes: [SlotChange] = []
    for kind in [TrackKind.audio, .video] {
      let indices = slots.indices.filter { slots[$0].kind == kind }
      let known = candidates.filter { $0.kind == kind && undecodable[$0.publication] == nil }
      // Nearly always all slots of a kind take the same codecs, and nothing is to be compared.
      let differ = codecs[kind].map { $0.count > 1 } ?? false
      func fits(_ candidate: Candidate, _ index: Int) -> Bool {
        !differ || Self.takes(candidate, slots[index].codecs)
      }
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
      let stays = Set(
        indices.filter { index in
          guard let carried = slots[index].carries, let found = wantedSet.firstIndex(of: carried) else { return false }
          // Fits as the publication comes now, perhaps in another codec than when the slot got it.
          return fits(wantedSet[found], index)
        })
      let carried = Set(stays.compactMap { slots[$0].carries })
      var free = indices.indices.filter { !stays.contains(indices[$0]) }
      // Slots of the same number are one stream for the receiver, which plays their audio and video in sync.
      let partners = slots.filter { $0.kind != kind }.map { $0.carries?.participant }
      var next: [Int: Candidate] = [:]
      for candidate in wanted where !carried.contains(candidate) {
        let beside = free.firstIndex {
          $0 < partners.count && partners[$0] == candidate.participant && fits(candidate, indices[$0])
        }
        guard let choice = beside ?? free.firstIndex(where: { fits(candidate, indices[$0]) }) else { continue }
        next[free.remove(at: choice)] = candidate
      }
      for place in indices.indices {
        let index = indices[place]
        if stays.contains(index) { continue }
        guard slots[index].carries != nil || next[place] != nil else { continue }
        slots[index].carries = next[place]
        changes.append(slots[index].change)
      }
      for index in handedBack where !changes.contains(where: { $0.mid.rawValue == slots[index].mid }) {
        changes.append(slots[index].change)
      }
    }
    return changes
  }

  private mutating func followLoudest(
    _ indices: [Int], _ known: Set<Candidate>, _ changes: inout [SlotChange]
  ) {
    for index in indices {
      let isGone = slots[index].carries.map { !known.contains($0) } ?? false
      if isGone { slots[index].carries = nil }
      guard isGone || !slots[index].followsLoudest else { continue }
      slots[index].followsLoudest = true
      changes.append(slots[index].change)
    }
  }

  /// The media plane changed the publication of a slot; true when that is news. Ignored for a slot that doesn't follow
  /// the loudest speakers any more.
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
