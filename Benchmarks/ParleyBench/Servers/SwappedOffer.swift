import RTC

/// An exchange in which the other side offers, for a connection that always offers: the other's offer is read as if it
/// were the answer to ours, and ours is sent as the answer to it.
struct SwappedOffer {
  /// The answer to give to the connection.
  var forConnection: String
  /// The answer to send to the other side.
  var forOther: String

  struct Unfit: Error, CustomStringConvertible {
    var description: String
  }

  /// - Parameters:
  ///   - theirs: The other side's offer, which only sends.
  ///   - ours: The connection's offer of as many receive slots.
  init(theirs: String, ours: String) throws {
    var offer = try SessionDescription(parsing: theirs)
    var answer = try SessionDescription(parsing: ours)
    guard offer.media.count == answer.media.count else {
      throw Unfit(description: "\(answer.media.count) slots for \(offer.media.count) sections")
    }
    for index in offer.media.indices {
      let theirSection = offer.media[index]
      let ourMID = answer.media[index].mid
      let types = Set(theirSection.codecs.map(\.payloadType))
      answer.media[index].mid = theirSection.mid
      answer.media[index].direction = .recvonly
      answer.media[index].setup = .active
      answer.media[index].codecs.removeAll { !types.contains($0.payloadType) }
      answer.media[index].formats = answer.media[index].codecs.map(\.payloadType.description)
      let known = Set(answer.media[index].extensions.map(\.uri))
      answer.media[index].extensions = theirSection.extensions.filter { known.contains($0.uri) }
      answer.media[index].allowsMixedExtensions = theirSection.allowsMixedExtensions
      offer.media[index].mid = ourMID
      offer.media[index].setup = .passive
      guard !types.isEmpty, !answer.media[index].codecs.isEmpty else {
        throw Unfit(description: "no codec in common in section \(index)")
      }
    }
    answer.bundle = offer.bundle
    offer.bundle = offer.media.compactMap(\.mid)
    forConnection = offer.text
    forOther = answer.text
  }
}
