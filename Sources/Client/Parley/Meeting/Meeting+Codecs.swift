import Basics
import RTC
import Signaling

/// The publications that this client can't decode, and the receivers that can't decode its own.
extension Meeting {
  func take(_ notice: CodecNotice) {
    switch notice {
    case .undecodable(let publications): takeUndecodable(publications)
    case .undecodableFor(let receivers):
      guard let publication = local.publications.first(where: { $0.id == receivers.publication }) else { return }
      setReceivers(receivers.count > 0 ? receivers : nil, of: publication)
    case .sendCodec(let mid, let codec):
      let wanted = codec.flatMap { Codec(name: $0.name, clockRate: 90_000) }
      connection?.post { [weak connection] session, _ in
        if let connection { session.setSendCodec(wanted, mid: MID(rawValue: mid), connection: connection) }
      }
    }
  }

  private func takeUndecodable(_ publications: [UndecodablePublication]) {
    slots.setUndecodable(publications)
    for publication in participants.flatMap(\.publications) { applyCodec(to: publication) }
  }

  /// Takes over whether this client can decode `publication`. The server may have said so before the publication was
  /// known here.
  func applyCodec(to publication: RemotePublication) {
    let codec = slots.undecodableCodec(of: publication.id)
    guard publication.undecodableCodec != codec else { return }
    publication.undecodableCodec = codec
    emit(codec == nil ? .decodable(publication) : .undecodable(publication))
  }

  /// The connection is gone, and with it what the server said of it.
  func forgetCodecs() {
    takeUndecodable([])
    for publication in local.publications { setReceivers(nil, of: publication) }
  }

  private func setReceivers(_ receivers: UndecodableReceivers?, of publication: LocalPublication) {
    guard publication.undecodableFor != receivers else { return }
    publication.undecodableFor = receivers
    emit(.undecodableFor(publication))
  }
}
