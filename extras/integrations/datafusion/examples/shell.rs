//! Runs the statements of standard input, one a line, with hashlanes's functions:
//!
//! ```text
//! echo "SELECT md5('abc')" | cargo run --release --features spark --example shell
//! ```

use std::io::stdin;

use datafusion::error::Result;
use datafusion::execution::SessionStateBuilder;
use datafusion::prelude::SessionContext;
use datafusion_spark::SessionStateBuilderSpark;
use tokio::runtime::Runtime;

fn main() -> Result<()> {
    let builder = SessionStateBuilder::new().with_default_features().with_spark_features();
    let mut context = SessionContext::new_with_state(builder.build());
    datafusion_hashlanes::register_all(&mut context)?;
    datafusion_hashlanes::spark::register_all(&mut context)?;

    let runtime = Runtime::new()?;
    for line in stdin().lines() {
        if let Err(error) = runtime.block_on(show(&context, &line?)) {
            eprintln!("{error}");
        }
    }
    Ok(())
}

async fn show(context: &SessionContext, statement: &str) -> Result<()> {
    context.sql(statement).await?.show().await
}
