//! The way to a store: what goes out and comes in is rewritten for keys that `object_store` cannot
//! hold (see [`keys`](crate::keys)).

use crate::keys::{mark_listing, unmark_url};
use async_trait::async_trait;
use http_body_util::BodyExt;
use object_store::ClientOptions;
use object_store::aws::{AwsAuthorizer, AwsCredentialProvider};
use object_store::azure::{AzureAuthorizer, AzureCredential, AzureCredentialProvider};
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpService,
    ReqwestConnector,
};
use std::sync::{Arc, OnceLock};

/// Signs a request whose path was rewritten; known once the store has been made.
pub(crate) type Signing = Arc<OnceLock<Signer>>;

#[derive(Debug)]
pub(crate) enum Signer {
    S3 { credentials: AwsCredentialProvider, region: String },
    Azure { credentials: AzureCredentialProvider, account: String },
}

impl Signer {
    async fn sign(&self, request: &mut HttpRequest) -> object_store::Result<()> {
        match self {
            Signer::S3 { credentials, region } => {
                let credential = credentials.get_credential().await?;
                AwsAuthorizer::new(&credential, "s3", region).try_authorize(request, None)
            }
            Signer::Azure { credentials, account } => {
                let credential = credentials.get_credential().await?;
                match *credential {
                    AzureCredential::AccessKey(_) => {
                        AzureAuthorizer::new(&credential, account).try_authorize(request)
                    }
                    // These do not sign the path.
                    _ => Ok(()),
                }
            }
        }
    }
}

#[derive(Debug)]
pub(crate) struct Connector(pub(crate) Signing);

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let client = ReqwestConnector::default().connect(options)?;
        Ok(HttpClient::new(Rewriting { client, signing: Arc::clone(&self.0) }))
    }
}

#[derive(Debug)]
struct Rewriting {
    client: HttpClient,
    signing: Signing,
}

#[async_trait]
impl HttpService for Rewriting {
    async fn call(&self, mut request: HttpRequest) -> Result<HttpResponse, HttpError> {
        if let Some(path) = unmark_url(request.uri().path()) {
            let query = request.uri().query().map(|query| format!("?{query}")).unwrap_or_default();
            let uri = request.uri();
            let host = uri.authority().map(ToString::to_string).unwrap_or_default();
            let uri = format!("{}://{host}{path}{query}", uri.scheme_str().unwrap_or("https"));
            *request.uri_mut() =
                uri.parse().map_err(|e| HttpError::new(HttpErrorKind::Unknown, e))?;
            if let (Some(signer), true) =
                (self.signing.get(), request.headers().contains_key("authorization"))
            {
                let failed = |e| HttpError::new(HttpErrorKind::Unknown, e);
                signer.sign(&mut request).await.map_err(failed)?;
            }
        }
        let is_listing = request.uri().query().is_some_and(|query| {
            query.split('&').any(|pair| matches!(pair, "list-type=2" | "comp=list"))
        });
        let response = self.client.execute(request).await?;
        if is_listing && response.status().is_success() {
            relisted(response).await
        } else {
            Ok(response)
        }
    }
}

/// The answer to a listing, with its keys marked.
async fn relisted(response: HttpResponse) -> Result<HttpResponse, HttpError> {
    let (mut parts, body) = response.into_parts();
    let bytes = body.collect().await?.to_bytes();
    let marked = std::str::from_utf8(&bytes).ok().and_then(mark_listing);
    parts.headers.remove("content-length");
    let body = match marked {
        Some(xml) => xml.into(),
        None => bytes.into(),
    };
    Ok(HttpResponse::from_parts(parts, body))
}
