import Basics

/// The streams that packets wait in, and their publications, in the order in which the first of them came.
///
/// A list that objects are put on and taken off counts two references for each: for sound that is as often as packets come. Here a stream gets a place
/// with its first packet and keeps it, owned; what comes and goes is a number. Nothing allocates once the lists have had their length.
final class WaitingStreams {
  private var streams: ContiguousArray<SourceStream?> = []
  private var publications: ContiguousArray<Publication?> = []
  // The places of what waits. Not visible outside, and their elements are read one by one, so that nothing owns the lists meanwhile.
  private var waiting: ContiguousArray<Int32> = []
  private var listed: ContiguousArray<Int32> = []

  init() {
    waiting.reserveCapacity(16)
    listed.reserveCapacity(16)
  }

  /// How many streams wait.
  var count: Int { waiting.count }
  /// How many publications they are of.
  var publicationCount: Int { listed.count }

  /// The first packet that waits of `stream` has come.
  func add(_ stream: SourceStream, of publication: Publication) {
    if stream.place < 0 { enter(stream, of: publication) }
    let place = Int32(truncatingIfNeeded: stream.place)
    waiting.append(place)
    if !publication.isListed {
      publication.isListed = true
      listed.append(place)
    }
  }

  /// One of the streams that wait.
  @inline(__always)
  func stream(at index: Int) -> BorrowedReference<SourceStream> { streams.reference(at: Int(waiting[index])) }

  /// One of the publications that packets wait of.
  @inline(__always)
  func publication(at index: Int) -> BorrowedReference<Publication> { publications.reference(at: Int(listed[index])) }

  /// Calls `body` with each stream that waits. None may be added or removed meanwhile.
  @inline(__always)
  func forEach(_ body: (SourceStream) -> Void) {
    var index = 0
    while index < waiting.count {
      stream(at: index).use(body)
      index &+= 1
    }
  }

  /// Calls `body` with each publication that packets wait of. None may be added or removed meanwhile.
  @inline(__always)
  func forEachPublication(_ body: (Publication) -> Void) {
    var index = 0
    while index < listed.count {
      publication(at: index).use(body)
      index &+= 1
    }
  }

  /// Nothing waits any more.
  func clear() {
    waiting.removeAll(keepingCapacity: true)
    listed.removeAll(keepingCapacity: true)
  }

  /// Nothing of `publication` waits any more, and nothing will of streams that it has no more.
  func remove(_ publication: Publication) {
    for place in publications.indices where publications[place] === publication { leave(place) }
    publication.isListed = false
  }

  /// Lets all streams go that their senders have left behind: the next one may send nothing that is accepted, or nothing that anybody receives, and then
  /// has no packet that waits.
  func removeReplaced() {
    for place in streams.indices {
      guard let stream = streams[place], let publication = publications[place],
        !publication.streams.contains(where: { $0 === stream })
      else { continue }
      leave(place)
    }
  }

  private func enter(_ stream: SourceStream, of publication: Publication) {
    // A sender that began anew has left the stream before behind, which nobody receives any more.
    for place in streams.indices where publications[place] === publication {
      if let old = streams[place], !publication.streams.contains(where: { $0 === old }) { leave(place) }
    }
    let place = streams.firstIndex { $0 == nil } ?? streams.count
    if place == streams.count {
      streams.append(stream)
      publications.append(publication)
    } else {
      streams[place] = stream
      publications[place] = publication
    }
    stream.place = place
  }

  private func leave(_ place: Int) {
    let number = Int32(truncatingIfNeeded: place)
    waiting.removeAll { $0 == number }
    if listed.contains(number) {
      listed.removeAll { $0 == number }
      publications[place]?.isListed = false
    }
    streams[place]?.pending.removeAll()
    streams[place]?.place = -1
    streams[place] = nil
    publications[place] = nil
  }
}
