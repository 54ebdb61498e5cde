import Foundation
import UIKit

/// Why the bank's service gave nothing of use.
struct ServiceError: LocalizedError {
  let errorDescription: String?
}

/// Sends a form to the bank's service. The answer, an object whose values are all strings, comes on the main thread.
@MainActor func post(
  _ form: String, to address: String,
  completion: @escaping @Sendable @MainActor (Result<[String: String], ServiceError>) -> Void
) {
  guard let url = Settings.url(address) else {
    return completion(
      .failure(ServiceError(errorDescription: "The service's URL is not valid. Look into the settings.")))
  }
  var request = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: 20)
  request.httpMethod = "POST"
  request.httpBody = Data(form.utf8)
  URLSession.shared.dataTask(with: request) { data, response, error in
    let result = read(data, response as? HTTPURLResponse, error)
    DispatchQueue.main.async { MainActor.assumeIsolated { completion(result) } }
  }.resume()
}

private func read(_ data: Data?, _ response: HTTPURLResponse?, _ error: Error?) -> Result<
  [String: String], ServiceError
> {
  guard let response, let data else {
    return .failure(
      ServiceError(errorDescription: "The service cannot be reached. \(error?.localizedDescription ?? "")"))
  }
  guard response.statusCode == 200 else {
    return .failure(ServiceError(errorDescription: "The service answered with status \(response.statusCode)."))
  }
  guard let values = (try? JSONSerialization.jsonObject(with: data)) as? [String: String] else {
    return .failure(ServiceError(errorDescription: "The service's answer cannot be read."))
  }
  return .success(values)
}
